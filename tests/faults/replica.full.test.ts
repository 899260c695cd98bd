import { afterAll, beforeAll, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { actInDatabase } from "../support/act-in-database";
import { newTenant, type TestTenant } from "../support/api";
import { scrape, total } from "../support/exposition";
import { freePort, type RunningProcess, startWeb } from "../support/processes";
import {
  onDatabase,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../support/replicated-postgres";
import { findRedisServer, startUpstashBridge, type UpstashBridge } from "../support/upstash-bridge";

// Two webs with one primary, one replica and one Redis. Each client writes through one web and reads
// its list through the other one right after the response, while the replica is paused, crashes,
// replays again what it had, and is minutes behind, and while Redis forgets everything.

const redisServer = findRedisServer();
const ownDatabase = env().DATABASE_URL;

type Web = RunningProcess & { url: string; metricsPort: number };
let servers: ReplicatedPostgres;
let bridge: UpstashBridge;
let webs: Web[] = [];

beforeAll(async () => {
  if (!redisServer) return;
  [servers, bridge] = await Promise.all([
    startReplicatedPostgres(),
    startUpstashBridge(redisServer),
  ]);
  await forgetForLong();
  webs = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const metricsPort = await freePort();
      const web = await startWeb({
        DATABASE_URL: servers.primaryUrl,
        DATABASE_REPLICA_URL: servers.replicaUrl,
        UPSTASH_REDIS_REST_URL: bridge.url,
        UPSTASH_REDIS_REST_TOKEN: bridge.token,
        METRICS_PORT: String(metricsPort),
      });
      return { ...web, metricsPort };
    }),
  );
  await actInDatabase({ DATABASE_URL: servers.primaryUrl });
});
afterAll(async () => {
  await Promise.all(webs.map((web) => web.end("SIGKILL")));
  await actInDatabase({ DATABASE_URL: ownDatabase });
  await bridge?.stop();
  await servers?.stop();
});

const redis = (...words: string[]) =>
  fetch(bridge.url, {
    method: "POST",
    headers: { authorization: `Bearer ${bridge.token}` },
    body: JSON.stringify(words),
  });

/** As if Redis had been emptied long ago, so that the webs trust it. */
async function forgetForLong(): Promise<void> {
  await redis("FLUSHALL");
  await redis("SET", "parlance:written-since", "1");
}

async function send(
  web: Web,
  { key }: TestTenant,
  method: string,
  path: string,
  { body, etag }: { body?: object; etag?: string } = {},
) {
  const response = await fetch(`${web.url}/v1/public${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { "content-type": "application/json" }),
      ...(etag && { "if-none-match": etag }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, etag: response.headers.get("etag") ?? "" };
}

type Item = { id: string; subject: string | null };
type Page = { data: Item[]; nextCursor?: string };

/** A program that reads its own writes, until it is stopped or does not find one. */
function startClient(tenant: TestTenant, number: number) {
  let rounds = 0;
  let isOver = false;
  const written: string[] = [];
  const violations: string[] = [];

  async function round(): Promise<void> {
    const [writer, other] = (rounds + number) % 2 ? [webs[0], webs[1]] : [webs[1], webs[0]];
    if (!writer || !other) throw new Error("the webs do not run");
    const list = "/conversations?limit=5";
    const before = await send(other, tenant, "GET", list);
    const created = await send(writer, tenant, "POST", "/conversations", {
      body: { channelId: "web", subject: "first" },
    });
    const { id } = JSON.parse(created.text) as Item;
    written.push(id);
    // With the version that it had read there.
    const after = await send(other, tenant, "GET", list, { etag: before.etag });
    if (created.status !== 201 || after.status !== 200)
      throw new Error(`${created.status} and ${after.status} for ${id}`);
    const page = JSON.parse(after.text) as Page;
    const expected = written.slice(-5).reverse();
    const found = page.data.map((item) => item.id);
    if (found.join() !== expected.join())
      throw new Error(`read ${found.join()} after ${expected.join()} had been written`);
    // The next page, by a cursor of this one.
    const last = expected.at(-1);
    const next = await send(writer, tenant, "GET", `/conversations?limit=5&cursor=${last}`);
    const [following] = (JSON.parse(next.text) as Page).data;
    if (next.status !== 200 || following?.id !== written.at(-6))
      throw new Error(`${next.status}, ${following?.id} comes after ${last}`);
    const body = { subject: `changed ${rounds}` };
    const changed = await send(writer, tenant, "PATCH", `/conversations/${id}`, { body });
    const again = await send(other, tenant, "GET", list, { etag: after.etag });
    const [first] = again.status === 200 ? (JSON.parse(again.text) as Page).data : [];
    if (changed.status !== 200 || first?.subject !== body.subject)
      throw new Error(`${changed.status}, ${again.status}, read "${first?.subject}" after ${id}`);
    rounds++;
  }

  const loop = (async () => {
    while (!isOver && violations.length === 0)
      await round().catch((error: Error) => violations.push(`round ${rounds}: ${error.message}`));
  })();
  return {
    violations,
    rounds: () => rounds,
    stop: () => {
      isOver = true;
      return loop;
    },
  };
}

/** Reads of both webs, by what served them. */
async function readsFrom(target: string): Promise<number[]> {
  const scraped = await Promise.all(webs.map(({ metricsPort }) => scrape(metricsPort)));
  return scraped.map((found) => total(found, "parlance_replica_reads_total", { target }));
}

test.skipIf(!redisServer)(
  "a key reads what it wrote through another process, whatever happens to the replica and the store",
  { timeout: 600_000 },
  async () => {
    const tenants = await Promise.all(Array.from({ length: 4 }, () => newTenant()));
    const clients = tenants.map(startClient);
    const violations = () => clients.flatMap((client) => client.violations);
    const replayed = (what: string) => onDatabase(servers.replicaUrl, `SELECT ${what}`);
    /** Until each client has completed that many rounds, all of them in the new state. */
    const pass = async (more: number) => {
      const wanted = clients.map((client) => client.rounds() + more + 1);
      await expect
        .poll(
          () =>
            violations().length > 0 ||
            clients.every((client, index) => client.rounds() >= (wanted[index] ?? 0)),
        )
        .toBe(true);
      expect(violations()).toEqual([]);
    };
    /** Until both webs have served more reads from there. */
    const servedBy = async (target: string) => {
      const before = await readsFrom(target);
      await expect
        .poll(async () => {
          const counts = await readsFrom(target);
          return (
            violations().length > 0 || counts.every((count, index) => count > (before[index] ?? 0))
          );
        })
        .toBe(true);
      await pass(2);
    };

    await servedBy("replica");
    await replayed("pg_wal_replay_pause()");
    await servedBy("primary_own_write");
    // Until it is so far behind that no key reads from it.
    await servedBy("primary_lag");
    await replayed("pg_wal_replay_resume()");
    await servedBy("replica");

    await onDatabase(servers.primaryUrl, "CHECKPOINT");
    await servers.crashReplica();
    await servedBy("replica");
    await servers.crashReplica({ recovery_min_apply_delay: "1h" });
    await servedBy("primary_lag");
    await servers.crashReplica();
    await servedBy("replica");

    await Promise.all(clients.map((client) => client.stop()));
    expect(violations()).toEqual([]);

    // Redis restarts empty between the write and the read.
    const [writer, other] = webs as [Web, Web];
    const tenant = await newTenant();
    await replayed("pg_wal_replay_pause()");
    const body = { channelId: "web" };
    const created = await send(writer, tenant, "POST", "/conversations", { body });
    await redis("FLUSHALL");
    const page = await send(other, tenant, "GET", "/conversations");
    const { id } = JSON.parse(created.text) as Item;
    expect((JSON.parse(page.text) as Page).data.map((item) => item.id)).toEqual([id]);
  },
);
