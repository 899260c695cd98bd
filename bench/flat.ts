import pg from "pg";
import { closeDatabase, db } from "@/lib/platform/db";
import type { Postgres } from "@/server/embedded/postgres";
import { drive, type Load } from "./drive";
import {
  median,
  newTenant,
  prepareDatabase,
  type Row,
  type Running,
  seedConversations,
  start,
} from "./setting";

// Whether an operation costs the same in a large table as in a small one: two databases that differ
// only in how many conversations one tenant has, each with its own web process, driven in
// turn.

export type FlatOptions = { rounds: number; seconds: number; conversations: number };

const smallCount = 10_000;
const ports = { small: 4_806, large: 4_807 };
type Size = keyof typeof ports;

const path = "/v1/public/conversations";
const operations = (
  id: (n: number) => string,
  count: number,
): Record<string, Pick<Load, "method" | "path" | "body">> => ({
  "list the newest 20": { method: "GET", path: () => path },
  "list 20 from the middle": { method: "GET", path: () => `${path}?cursor=${id(count / 2)}` },
  "list 20 that are open": { method: "GET", path: () => `${path}?status=OPEN` },
  "create a conversation": {
    method: "POST",
    path: () => path,
    body: JSON.stringify({ channelId: "web" }),
  },
  "post a message": {
    method: "POST",
    path: (index) => `${path}/${id(((((index * 7_919) % count) + count) % count) + 1)}/messages`,
    body: JSON.stringify({ text: "Hello" }),
  },
});

export async function measureFlat(
  postgres: Postgres,
  { rounds, seconds, conversations }: FlatOptions,
): Promise<Row[]> {
  const environment = await prepareDatabase(postgres, "bench_small");
  const { partition, key } = await newTenant();
  const id = await seedConversations(partition.tenantId, smallCount);
  await db().$executeRaw`VACUUM ANALYZE`;
  await closeDatabase();
  await enlarge(postgres, partition.tenantId, conversations);

  const running: Running[] = [];
  try {
    for (const [size, port] of Object.entries(ports)) {
      const isUp = () =>
        fetch(`http://127.0.0.1:${port}/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      running.push(
        await start(
          ["dist/web.js"],
          { ...environment, DATABASE_URL: postgres.url(`bench_${size}`), PORT: String(port) },
          isUp,
        ),
      );
    }
    const rows: Row[] = [];
    for (const name of Object.keys(operations(id, 1))) {
      const rates: Record<Size, number[]> = { small: [], large: [] };
      for (let round = 0; round <= rounds; round++) {
        for (const size of Object.keys(ports) as Size[]) {
          const load = operations(id, size === "small" ? smallCount : conversations)[name];
          if (!load) continue;
          const headers = () => ({ authorization: `Bearer ${key}` });
          const { rate } = await drive({
            ...load,
            headers,
            port: ports[size],
            connections: 16,
            seconds: round === 0 ? 1 : seconds,
          });
          if (round > 0) rates[size].push(rate);
        }
      }
      const ratio = median(rates.small) / median(rates.large);
      rows.push({
        name: `${name}: cost of ${conversations} to ${smallCount}`,
        figure: `${median(rates.large).toFixed(0)}/s`,
        ratio,
        goal: "≤ 1.2",
        isMet: ratio <= 1.2,
      });
    }
    return rows;
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
}

/** The large one starts as a copy of the small one. */
async function enlarge(postgres: Postgres, tenantId: string, count: number): Promise<void> {
  const maintenance = new pg.Client({ connectionString: postgres.url("postgres") });
  await maintenance.connect();
  await maintenance.query("CREATE DATABASE bench_large TEMPLATE bench_small");
  await maintenance.end();
  const large = new pg.Client({ connectionString: postgres.url("bench_large") });
  await large.connect();
  await large.query(
    `INSERT INTO conversations (tenant_id, environment, id, channel_id, tags, created_at, updated_at)
     SELECT $1, 'live', 'cnv_01' || lpad(upper(to_hex(n)), 24, '0'), 'web', '{}', now(), now() FROM generate_series($2::int, $3::int) AS n`,
    [tenantId, smallCount + 1, count],
  );
  await large.query("VACUUM ANALYZE");
  await large.end();
}
