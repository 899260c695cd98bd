import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { mutate, system } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { createWebhook } from "@/lib/webhooks/service";
import { ensureDatabase, type Postgres } from "@/server/embedded/postgres";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { atOnce, drain, payload, receiverPort, receiverUrl, startReceiver } from "./deliveries";
import { type Driven, type DrivenRequest, drive } from "./drive";
import { postmasterPid } from "./processes";
import {
  type Environment,
  median,
  newTenant,
  prepareDatabase,
  responds,
  type Sizes,
  seedConversations,
  start,
} from "./setting";
import { atLeast, type Line, line, type Measured, say } from "./table";

// `npm run bench -- --peers`: what a team would use instead, on the same PostgreSQL in alternating
// runs. BullMQ sends the same signed POSTs, and records each result in PostgreSQL. Parse Server
// lists and creates the same rows, with a webhook for each new one. They are installed into
// bench/peers, and are not part of the product. A peer that cannot be installed or started is left
// out.

const execute = promisify(execFile);
const folder = "bench/peers";
const ports = { web: 4_821, parse: 4_822, redis: 4_823 };
const tenants = 50;
const application = { id: "bench", masterKey: "bench" };

export const measurePeers = (sizes: Sizes): Promise<Measured> =>
  withTemporaryPostgres(async (postgres) => {
    const environment = await prepareDatabase(postgres, "bench_peers");
    const measured: Measured = { rows: [], lines: [] };
    const receiver = await startReceiver();
    try {
      say("Installing the peers…");
      await execute("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
      const comparisons = { BullMQ: compareWithBullMq, "Parse Server": compareWithParse };
      for (const [peer, compare] of Object.entries(comparisons))
        await compare({ postgres, environment, sizes, measured }).catch((error: Error) =>
          say(`${peer} was not measured: ${error.message}`),
        );
    } catch (error) {
      say(`No peer was measured: ${(error as Error).message.slice(0, 500)}`);
    } finally {
      await receiver.stop();
      await closeDatabase();
    }
    return measured;
  });

type Comparison = {
  postgres: Postgres;
  environment: Environment;
  sizes: Sizes;
  measured: Measured;
};

async function compareWithBullMq({ environment, sizes, measured }: Comparison): Promise<void> {
  const { rounds, deliveries } = sizes;
  const databaseUrl = environment.DATABASE_URL ?? "";
  const postgresPid = await postmasterPid(databaseUrl);
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-redis-"));
  const redis = spawn(
    "redis-server",
    [
      ...["--bind", "127.0.0.1", "--port", String(ports.redis), "--dir", directory],
      // As BullMQ's documentation advises, so that jobs survive a restart.
      ...["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
      ...["--maxmemory-policy", "noeviction"],
    ],
    { stdio: "ignore" },
  );
  const ended = once(redis, "exit");
  try {
    await once(redis, "spawn");
    const job = {
      ...{ url: receiverUrl, redisPort: ports.redis, databaseUrl, count: deliveries, atOnce },
      body: payload(),
    };
    const rates = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const ours = (await drain(1, deliveries, environment, postgresPid)).rate;
      const { stdout } = await execute(process.execPath, [
        `${folder}/bullmq.mjs`,
        JSON.stringify(job),
      ]);
      say(
        `deliveries: ${ours.toFixed(0)}/s by one worker, ${Number(stdout).toFixed(0)}/s by BullMQ`,
      );
      if (round === 0) continue;
      rates.ours.push(ours);
      rates.theirs.push(Number(stdout));
    }
    const [ours, theirs] = [median(rates.ours), median(rates.theirs)];
    const row = "deliveries, to BullMQ";
    measured.rows.push({
      ...{ name: row, figure: `${ours.toFixed(0)}/s`, ratio: ours / theirs },
      ...atLeast(ours / theirs, 2),
    });
    measured.lines.push(
      line(row, "Parlance, one worker", { perSecond: ours, ratioToFloor: ours / theirs }),
      line(row, "BullMQ", { perSecond: theirs, ratioToFloor: 1 }),
    );
  } finally {
    redis.kill("SIGKILL");
    await ended.catch(() => {});
    rmSync(directory, { recursive: true });
  }
}

async function compareWithParse(comparison: Comparison): Promise<void> {
  const { postgres, environment, sizes, measured } = comparison;
  const key = await seedOurs(sizes.conversations);
  const web = await start(
    ["dist/web.js"],
    { ...environment, PORT: String(ports.web) },
    responds(`http://127.0.0.1:${ports.web}/ready`),
  );
  const worker = await start(["dist/worker.js"], environment, async () => true);
  try {
    await ensureDatabase(postgres, "bench_parse");
    const parse = await startParse(postgres.url("bench_parse"));
    try {
      await seedParse(postgres.url("bench_parse"), sizes.conversations);
      await compareRequests(key, sizes, measured);
    } finally {
      await parse.stop();
    }
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

const ourPath = "/v1/public/conversations";
const parsePath = "/parse/classes/Conversation";
const parseHeaders = { "x-parse-application-id": application.id };
const newest = `limit=20&order=-createdAt&where=${encodeURIComponent('{"tenant":"tenant 1"}')}`;

async function compareRequests(key: string, sizes: Sizes, measured: Measured): Promise<void> {
  const json = { "content-type": "application/json" };
  const ourHeaders = { authorization: `Bearer ${key}` };
  const operations: Record<string, { status: number; ours: DrivenRequest; theirs: DrivenRequest }> =
    {
      "list 20 conversations": {
        status: 200,
        ours: { method: "GET", path: ourPath, headers: ourHeaders },
        theirs: { method: "GET", path: `${parsePath}?${newest}`, headers: parseHeaders },
      },
      "create a conversation, one webhook": {
        status: 201,
        ours: {
          ...{ method: "POST", path: ourPath, headers: { ...ourHeaders, ...json } },
          body: JSON.stringify({ channelId: "web" }),
        },
        theirs: {
          ...{ method: "POST", path: parsePath, headers: { ...parseHeaders, ...json } },
          body: JSON.stringify({ tenant: "tenant 1", channelId: "web", status: "OPEN" }),
        },
      },
    };
  const { rounds, seconds, connections } = sizes;
  for (const [name, { status, ours, theirs }] of Object.entries(operations)) {
    const driven = { ours: [] as Driven[], theirs: [] as Driven[] };
    for (let round = 0; round <= rounds; round++)
      for (const [who, request, port] of [
        ["ours", ours, ports.web],
        ["theirs", theirs, ports.parse],
      ] as const) {
        const load = { port, requests: [request], status, connections };
        const result = await drive({ ...load, seconds: round === 0 ? 1 : seconds });
        if (round > 0) driven[who].push(result);
      }
    const rate = (all: Driven[]) => median(all.map((one) => one.rate));
    const ratio = rate(driven.ours) / rate(driven.theirs);
    const row = `${name}, to Parse Server`;
    say(`${row}: ${rate(driven.ours).toFixed(0)}/s to ${rate(driven.theirs).toFixed(0)}/s`);
    measured.rows.push({ name: row, figure: `${rate(driven.ours).toFixed(0)}/s`, ratio });
    const lineOf = (variant: string, all: Driven[], ratioToFloor: number): Line =>
      line(row, variant, {
        ...{ perSecond: rate(all), ratioToFloor },
        p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
        p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
      });
    measured.lines.push(
      lineOf("Parlance, server/web", driven.ours, ratio),
      lineOf("Parse Server", driven.theirs, 1),
    );
  }
}

async function seedOurs(count: number): Promise<string> {
  let key = "";
  for (let index = 0; index < tenants; index++) {
    const tenant = await newTenant();
    await seedConversations(tenant.partition.tenantId, count / tenants);
    if (index > 0) continue;
    key = tenant.key;
    const input = { events: ["conversation.created"], metadata: {}, description: null };
    await mutate(system(tenant.partition), (caller) =>
      createWebhook(caller, { ...input, url: receiverUrl }),
    );
  }
  await db().$executeRaw`ANALYZE`;
  return key;
}

const startParse = (databaseUrl: string) =>
  start(
    [`${folder}/parse-server.mjs`],
    {
      ...{ PORT: String(ports.parse), DATABASE_URL: databaseUrl },
      ...{ APPLICATION_ID: application.id, MASTER_KEY: application.masterKey },
    },
    responds(`http://127.0.0.1:${ports.parse}/parse/health`, parseHeaders),
  );

async function seedParse(databaseUrl: string, count: number): Promise<void> {
  const ask = async (pathname: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${ports.parse}/parse${pathname}`, {
      method: "POST",
      headers: {
        ...parseHeaders,
        "x-parse-master-key": application.masterKey,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${pathname}: ${response.status} ${await response.text()}`);
  };
  // The first row creates the table.
  await ask("/classes/Conversation", { tenant: "tenant 1", channelId: "web", status: "OPEN" });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO "Conversation" ("objectId", "createdAt", "updatedAt", tenant, "channelId", status)
     SELECT lpad(n::text, 10, '0'), now(), now(), 'tenant ' || n % ${tenants}, 'web', 'OPEN' FROM generate_series(1, $1::int) n`,
    [count],
  );
  await client.query(`CREATE INDEX ON "Conversation" (tenant, "createdAt")`);
  await client.query("ANALYZE");
  await client.end();
  const url = `http://127.0.0.1:${receiverPort}/`;
  await ask("/hooks/triggers", { className: "Conversation", triggerName: "afterSave", url });
}
