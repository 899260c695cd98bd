import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { segmentEntries } from "@/lib/conversations/search-index.sql";
import { mutate, system } from "@/lib/platform/caller";
import { closeDatabase } from "@/lib/platform/db";
import { createWebhook } from "@/lib/webhooks/service";
import type { Postgres } from "@/server/embedded/postgres";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { type DrivenRequest, drive } from "./drive";
import {
  type Environment,
  median,
  newTenant,
  prepareDatabase,
  type Running,
  responds,
  type Sizes,
  seedConversations,
  start,
} from "./setting";
import { atMost, line, type Measured, say } from "./table";

// Whether an operation costs the same in large tables as in small ones: two databases that differ
// only in how many conversations, messages, events and deliveries one tenant has, each with its own
// processes, measured in turn.

const smallCount = 10_000;
/** The deliveries and their events are spread over this time, and so over weekly partitions. */
const storedDays = 25;
const receiverPort = 4_810;
const receiverUrl = `http://127.0.0.1:${receiverPort}/`;
const ports = { small: 4_806, large: 4_807 };
type Size = keyof typeof ports;
const sizesInTurn = Object.keys(ports) as Size[];
const goal = 1.2;
/**
 * Enough for all pages that one operation reads. With the default of 128 MB, the row would measure
 * how PostgreSQL reads them again.
 */
const sharedBuffers = "1GB";
const dropGoalMs = 1_000;

/** The tenant with many rows. */
type Subject = {
  tenantId: string;
  key: string;
  webhookId: string;
  conversationId: (n: number) => string;
};

/** SQL for the id of the nth conversation, as `seedConversations` makes it. */
const idOf = (n: string) => `'cnv_01' || lpad(upper(to_hex(${n})), 24, '0')`;

const path = "/v1/public/conversations";
type Operation = { status: number; requests: DrivenRequest[] };

function operationsOn({ key, conversationId }: Subject, count: number): Record<string, Operation> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const get = (query: string): Operation => ({
    status: 200,
    requests: [{ method: "GET", path: `${path}${query}`, headers }],
  });
  const post = (body: object, paths: string[]): Operation => ({
    status: 201,
    requests: paths.map((to) => ({
      method: "POST",
      path: to,
      headers,
      body: JSON.stringify(body),
    })),
  });
  const anywhere = Array.from(
    { length: 5_000 },
    (_, index) => `${path}/${conversationId(((index * 7_919) % count) + 1)}/messages`,
  );
  return {
    "list the newest 20": get(""),
    "list 20 from the middle": get(`?cursor=${conversationId(count / 2)}`),
    "list 20 that are open": get("?status=OPEN"),
    "search for a word in all messages": get("/search?q=order"),
    "search for a word in one message": get(`/search?q=${conversationId(count / 2).slice(6)}`),
    "create a conversation": post({ channelId: "web" }, [path]),
    "post a message": post({ text: "Hello" }, anywhere),
  };
}

export const measureFlat = (sizes: Sizes): Promise<Measured> =>
  withTemporaryPostgres(
    async (postgres) => {
      const environment = await prepareDatabase(postgres, "bench_small");
      const subject = await seed();
      await closeDatabase();
      const counts = { small: smallCount, large: sizes.large };
      await enlarge(postgres, subject, counts);
      const environmentOf = (size: Size): Environment => ({
        ...environment,
        DATABASE_URL: postgres.url(`bench_${size}`),
        PORT: String(ports[size]),
      });

      const running: Running[] = [];
      try {
        for (const size of sizesInTurn)
          running.push(
            await start(
              ["dist/web.js"],
              environmentOf(size),
              responds(`http://127.0.0.1:${ports[size]}/ready`),
            ),
          );
        const measured: Measured = { rows: [], lines: [] };
        for (const name of Object.keys(operationsOn(subject, 1)))
          add(measured, name, sizes, await measureOperation(name, subject, counts, sizes));
        await Promise.all(running.splice(0).map(({ stop }) => stop()));

        running.push(
          await start(
            ["--import", "tsx", "bench/receiver.ts"],
            { PORT: String(receiverPort) },
            responds(receiverUrl),
          ),
        );
        const claims: Rates = { small: [], large: [] };
        for (let round = 0; round <= sizes.rounds; round++)
          for (const size of sizesInTurn) {
            const rate = await drain(environmentOf(size), subject, sizes.deliveries);
            if (round > 0) claims[size].push(rate);
          }
        add(measured, "claim and deliver", sizes, claims);
        await addPurge(measured, postgres);
        return measured;
      } finally {
        await Promise.all(running.map(({ stop }) => stop()));
      }
    },
    { max_wal_size: "8GB", shared_buffers: sharedBuffers },
  );

type Rates = Record<Size, number[]>;

function add({ rows, lines }: Measured, name: string, { large }: Sizes, rates: Rates): void {
  const [small, big] = [median(rates.small), median(rates.large)];
  const row = `${name}: cost of ${large} to ${smallCount}`;
  const [figure, ratio] = [`${big.toFixed(0)}/s`, small / big];
  say(`${row}: ${ratio.toFixed(2)}`);
  rows.push({ name: row, figure, ratio, ...atMost(ratio, goal) });
  lines.push(
    line(row, `${smallCount} rows`, { perSecond: small, ratioToFloor: 1 }),
    line(row, `${large} rows`, { perSecond: big, ratioToFloor: big / small }),
  );
}

async function measureOperation(
  name: string,
  subject: Subject,
  counts: Record<Size, number>,
  { rounds, seconds }: Sizes,
): Promise<Rates> {
  const rates: Rates = { small: [], large: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const size of sizesInTurn) {
      const operation = operationsOn(subject, counts[size])[name];
      if (!operation) continue;
      const { rate } = await drive({
        ...operation,
        ...{ port: ports[size], connections: 16, seconds: round === 0 ? 1 : seconds },
      });
      if (round > 0) rates[size].push(rate);
    }
  }
  return rates;
}

/** Drops expired weeks of events and deliveries, as the worker does, and adds the largest of them. */
async function addPurge({ rows, lines }: Measured, postgres: Postgres): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url("bench_large") });
  await client.connect();
  const oldest = `SELECT reltuples::int AS count FROM weeks_of('deliveries') AS week
    JOIN pg_class ON relname = partition_of('deliveries', week) ORDER BY week LIMIT 1`;
  const dropped: { count: number; ms: number }[] = [];
  for (let week = 0; week < Math.floor(storedDays / 7); week++) {
    const { count = 0 } = (await client.query<{ count: number }>(oldest)).rows[0] ?? {};
    const beganMs = performance.now();
    await client.query("SELECT drop_expired_partitions(now() + interval '1 year')");
    dropped.push({ count, ms: performance.now() - beganMs });
  }
  await client.end();
  const [{ count, ms } = { count: 0, ms: 0 }] = dropped.toSorted((a, b) => b.count - a.count);
  const row = `drop a week of ${count} events and deliveries`;
  say(`${row}: ${ms.toFixed(0)} ms`);
  rows.push({ name: row, figure: `${ms.toFixed(0)} ms`, ...atMost(ms, dropGoalMs, " ms") });
  lines.push(line(row, "parlance", { p50Ms: ms }));
}

/** @returns deliveries per second by one worker, from the first arrival until all are recorded */
async function drain(
  environment: Environment,
  { tenantId, webhookId }: Subject,
  count: number,
): Promise<number> {
  const client = new pg.Client({ connectionString: environment.DATABASE_URL });
  await client.connect();
  await insertDeliveries(client, { tenantId, webhookId, count, status: "PENDING", days: 0 });
  const received = async (path = "") => (await fetch(`${receiverUrl}${path}`)).json();
  await received("reset");
  const worker = await start(["dist/worker.js"], environment, async () => true);
  try {
    // While they are delivered, only the receiver is asked: the query would compete with the worker.
    while ((await received()).count < count) await sleep(20);
    const pending = "SELECT 1 FROM deliveries WHERE status = 'PENDING' LIMIT 1";
    while ((await client.query(pending)).rowCount) await sleep(5);
    const doneAtMs = Date.now();
    return count / ((doneAtMs - (await received()).firstAtMs) / 1_000);
  } finally {
    await worker.stop();
    await client.end();
  }
}

async function seed(): Promise<Subject> {
  const { partition, key } = await newTenant();
  const conversationId = await seedConversations(partition.tenantId, smallCount);
  // It subscribes to no event that the operations raise, so it adds nothing to their cost.
  const input = { url: receiverUrl, events: ["document.failed"], metadata: {}, description: null };
  const webhook = await mutate(system(partition), (caller) => createWebhook(caller, input));
  return { tenantId: partition.tenantId, key, webhookId: webhook.id, conversationId };
}

/** The large one starts as a copy of the small one. */
async function enlarge(
  postgres: Postgres,
  { tenantId, webhookId }: Subject,
  counts: Record<Size, number>,
): Promise<void> {
  const run = async (database: string, work: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client({ connectionString: postgres.url(database) });
    await client.connect();
    await work(client).finally(() => client.end());
  };
  await run("postgres", (client) =>
    client.query("CREATE DATABASE bench_large TEMPLATE bench_small"),
  );
  for (const size of sizesInTurn)
    await run(`bench_${size}`, async (client) => {
      await client.query("SELECT create_partitions(now() - make_interval(days => $1), now())", [
        storedDays,
      ]);
      // Checking the references of millions of rows takes longer than writing them.
      await client.query("SET session_replication_role = replica");
      await client.query("UPDATE conversations SET message_count = 1");
      await client.query(
        `INSERT INTO conversations (tenant_id, environment, id, channel_id, tags, message_count, created_at, updated_at)
         SELECT $1, 'live', ${idOf("n")}, 'web', '{}', 1, now(), now()
         FROM generate_series($2::int, $3::int) AS n`,
        [tenantId, smallCount + 1, counts[size]],
      );
      await client.query(
        `INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at)
         SELECT tenant_id, environment, 'msg_' || substr(id, 5), id, 1, 'INBOUND', 'CUSTOMER', 'Where is order ' || substr(id, 7) || '?', created_at
         FROM conversations`,
      );
      const count = counts[size];
      await indexMessages(client, tenantId, count);
      const rows = { tenantId, webhookId, count, days: storedDays };
      await insertDeliveries(client, { ...rows, status: "DELIVERED" });
      await client.query("VACUUM ANALYZE");
      say(`${size}: ${count} conversations, messages and deliveries`);
    });
}

/** Writes the same entries and segments as the job that indexes messages. */
async function indexMessages(client: pg.Client, tenantId: string, count: number): Promise<void> {
  await client.query(
    `INSERT INTO search_segments (tenant_id, environment, after_id, entry_count)
     SELECT $1, 'live', CASE WHEN n = 0 THEN '' ELSE ${idOf("n")} END, ${segmentEntries}
     FROM generate_series(0, $2::int - 1, ${segmentEntries}) AS n`,
    [tenantId, count],
  );
  await client.query(
    `INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
     SELECT m.tenant_id, m.environment, m.conversation_id, m.id, segment.id, '', ' where is order ' || lower(substr(m.id, 7))
     FROM messages m CROSS JOIN LATERAL (
       SELECT s.id FROM search_segments s
       WHERE s.tenant_id = m.tenant_id AND s.environment = m.environment AND s.after_id < m.conversation_id
       ORDER BY s.after_id DESC LIMIT 1
     ) AS segment`,
  );
  await client.query(
    "UPDATE search_progress SET (xact, message_id) = (SELECT xact, id FROM messages ORDER BY xact DESC, id DESC LIMIT 1)",
  );
}

type DeliveryRows = {
  tenantId: string;
  webhookId: string;
  count: number;
  status: "PENDING" | "DELIVERED";
  /** They are spread evenly over this time. */
  days: number;
};

/** Ids start with their time, as all ids do. */
async function insertDeliveries(
  client: pg.Client,
  { tenantId, webhookId, count, status, days }: DeliveryRows,
): Promise<void> {
  const digits = [45, 40, 35, 30, 25, 20, 15, 10, 5, 0].map(
    (bits) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${bits}) & 31)::int + 1, 1)`,
  );
  await client.query(
    `WITH numbered AS (
       SELECT ${digits.join(" || ")} || lpad(i::text, 16, '0') AS id, at
       FROM (
         SELECT i, at, (extract(epoch FROM at) * 1000)::bigint AS ms
         FROM (
           SELECT i, now() - make_interval(secs => $3::float8 * 86400 * i / $4::float8) AS at
           FROM generate_series(1, $4::int) i
         ) AS times
       ) AS times
     ),
     event AS (
       INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
       SELECT $1, 'live', 'evt_' || id, 'document.failed', '{"data":"' || repeat('x', 400) || '"}', at
       FROM numbered
     )
     INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status,
       next_attempt_at, attempt_count, automatic_count, created_at, updated_at)
     SELECT $1, 'live', 'dlv_' || id, $2, 'evt_' || id, 'document.failed', $5::text::"DeliveryStatus",
       CASE WHEN $5 = 'PENDING' THEN at END, n, n, at, at
     FROM numbered, (SELECT CASE WHEN $5 = 'PENDING' THEN 0 ELSE 1 END AS n) AS attempts`,
    [tenantId, webhookId, days, count, status],
  );
}
