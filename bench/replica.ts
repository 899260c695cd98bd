// `npm run bench:replica`: how many statements of each operation go to a read replica, and how many
// to the primary. It counts and does not measure time, so that the result does not depend on the
// machine.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { mutate, system } from "@/lib/platform/caller";
import { closeDatabase } from "@/lib/platform/db";
import { onDatabase, startReplicatedPostgres } from "@/tests/support/replicated-postgres";
import { newTenant, responds, start } from "./setting";

const requests = 200;
const port = 4_805;
const conversations = 300;

const servers = await startReplicatedPostgres({
  settings: { shared_preload_libraries: "pg_stat_statements" },
});
await onDatabase(servers.primaryUrl, "CREATE EXTENSION pg_stat_statements");
const environment = {
  NODE_ENV: "production",
  LOG_LEVEL: "error",
  DATABASE_URL: servers.primaryUrl,
  DATABASE_STATEMENT_TIMEOUT_MS: "60000",
  SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
  NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
  AUDIT_KEYS: randomBytes(32).toString("base64"),
  NEXTAUTH_URL: `http://localhost:${port}`,
  HOST: "127.0.0.1",
  PORT: String(port),
};
Object.assign(process.env, environment);
const web = await start(
  ["dist/web.js"],
  { DATABASE_REPLICA_URL: servers.replicaUrl },
  responds(`http://127.0.0.1:${port}/ready`),
);

async function send(key: string, method: string, path: string, body?: object) {
  const url = `http://127.0.0.1:${port}/v1/public${path}`;
  const authorization = `Bearer ${key}`;
  for (;;) {
    const response = await fetch(url, {
      method,
      headers: { authorization, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as { id: string };
    if (response.status !== 503) throw new Error(`${method} ${path}: ${text}`);
  }
}

/** Polling takes as many statements in an hour without requests. It is left out. */
const isPoll = "query LIKE '%pg_last_wal_replay_lsn%' OR query LIKE '%pg_stat_statements%'";
const isPosition = "query LIKE '%pg_current_wal_flush_lsn%'";

type Counts = { statements: number; positions: number };

async function countsOf(url: string): Promise<Counts> {
  const [row] = await onDatabase<Counts>(
    url,
    `SELECT coalesce(sum(calls) FILTER (WHERE NOT (${isPoll}) AND NOT (${isPosition})), 0)::int AS statements,
       coalesce(sum(calls) FILTER (WHERE ${isPosition}), 0)::int AS positions
     FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = current_database()`,
  );
  return row ?? { statements: 0, positions: 0 };
}

async function measure(name: string, act: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await act(turn);
  for (const url of [servers.primaryUrl, servers.replicaUrl])
    await onDatabase(url, "SELECT pg_stat_statements_reset()");
  for (let turn = 0; turn < requests; turn++) await act(turn);
  const [primary, replica] = [
    await countsOf(servers.primaryUrl),
    await countsOf(servers.replicaUrl),
  ];
  const figures = [replica.statements, primary.statements, primary.positions];
  const share = replica.statements / (replica.statements + primary.statements);
  process.stdout.write(
    `${name.padEnd(44)}${figures.map((figure) => (figure / requests).toFixed(2).padStart(10)).join("")}${`${(100 * share).toFixed(0)} %`.padStart(10)}\n`,
  );
}

try {
  const { partition, key } = await newTenant();
  const values = { name: "other", scopes: [...scopes], rateLimitPerMinute: 1_000_000 };
  const { key: other } = await mutate(system(partition), (caller) => createApiKey(caller, values));
  const ids: string[] = [];
  for (let number = 0; number < conversations; number++) {
    const body = { channelId: "web", message: `Message ${number}`, tags: [`tag-${number % 7}`] };
    ids.push((await send(key, "POST", "/conversations", body)).id);
    if (number % 3 === 0) await send(key, "POST", "/customers", { name: `Ada ${number}` });
  }
  // Until the replica is used.
  do {
    await onDatabase(servers.replicaUrl, "SELECT pg_stat_statements_reset()");
    await send(key, "GET", "/conversations?limit=1");
    await sleep(50);
  } while ((await countsOf(servers.replicaUrl)).statements === 0);

  const id = (turn: number) => ids[turn % ids.length] ?? "";
  const list = (as = key) => send(as, "GET", "/conversations?limit=20");
  const post = (turn: number, as = key) =>
    send(as, "POST", `/conversations/${id(turn)}/messages`, { text: "Hello" });
  const single = (turn: number) => send(key, "GET", `/conversations/${id(turn)}`);
  const messages = (turn: number) => send(key, "GET", `/conversations/${id(turn)}/messages`);
  /** Half lists, two fifths single resources and messages, a tenth writes. */
  const mix = (writer: string) => (turn: number) => {
    if (turn % 10 === 9) return post(turn, writer);
    if (turn % 2 === 0) return list();
    return turn % 4 === 1 ? single(turn) : messages(turn);
  };

  const columns = ["replica", "primary", "positions", "share"];
  process.stdout.write(
    `${"statements per request".padEnd(44)}${columns.map((column) => column.padStart(10)).join("")}\n`,
  );
  await measure("list conversations", () => list());
  await measure("list conversations by a tag", (turn) =>
    send(key, "GET", `/conversations?limit=20&tag=tag-${turn % 7}`),
  );
  await measure("list customers", () => send(key, "GET", "/customers?limit=20"));
  await measure("usage", () => send(key, "GET", "/usage"));
  await measure("list request logs", () => send(key, "GET", "/request-logs?limit=20"));
  await measure("get a conversation", single);
  await measure("list messages of a conversation", messages);
  await measure("post a message", (turn) => post(turn));
  await measure("half lists, a tenth writes of another key", mix(other));
  await measure("half lists, a tenth writes of the same key", mix(key));
} finally {
  await web.stop();
  await closeDatabase();
  await servers.stop();
}
