import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { readFromReplica } from "@/lib/platform/replica";
import { lastWriteOf } from "@/lib/platform/write-positions";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { examineReplica } from "@/server/admin/examine-database";
import { actInDatabase } from "../support/act-in-database";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import {
  onDatabase,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../support/replicated-postgres";
import { startSilentProxy } from "../support/silent-proxy";
import { findRedisServer, startUpstashBridge } from "../support/upstash-bridge";

vi.hoisted(() => {
  process.env.DATABASE_STATEMENT_TIMEOUT_MS = "3000";
});

const ownDatabase = env().DATABASE_URL;
let servers: ReplicatedPostgres;
let proxy: Awaited<ReturnType<typeof startSilentProxy>>;
beforeAll(async () => {
  servers = await startReplicatedPostgres();
  proxy = await startSilentProxy(servers.replicaUrl);
  await actInDatabase({ DATABASE_URL: servers.primaryUrl, DATABASE_REPLICA_URL: proxy.url });
});
afterAll(async () => {
  await actInDatabase({ DATABASE_URL: ownDatabase, DATABASE_REPLICA_URL: undefined });
  await proxy.close();
  await servers.stop();
});

/**
 * Which of the two databases a read of this key goes to. While nothing is known of the replica, as
 * after a pause of this process, that is the primary.
 */
const isServedByReplica = ({ identity, keyId }: TestTenant) =>
  readFromReplica({ ...identity, actor: { type: "API_KEY", id: keyId } }, async (caller) => {
    const [row] = await caller.db.$queryRaw<{ is: boolean }[]>`SELECT pg_is_in_recovery() AS is`;
    return row?.is;
  });

const replayedBy = async (url: string) => {
  const text = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 AS replayed";
  const [row] = await onDatabase<{ replayed: number }>(url, text);
  return row ?? { replayed: 0 };
};

/** As in a process that has just started. */
const forgetPositions = () => {
  (globalThis as { parlanceWritePositions?: unknown }).parlanceWritePositions = undefined;
};

const listed = async (tenant: TestTenant) => {
  const { status, body } = await call(tenant, "GET", "/conversations?limit=100");
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};

const create = async (tenant: TestTenant) => {
  const { status, body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  expect(status).toBe(201);
  return body.id as string;
};

test("a key always reads what it wrote, while the replica serves the other keys", async () => {
  const writer = await newTenant();
  const colleague = await newKey(writer);
  const first = await create(writer);
  await expect.poll(() => isServedByReplica(writer)).toBe(true);
  expect(await listed(writer)).toEqual([first]);
  expect(await listed(colleague)).toEqual([first]);

  await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_pause()");
  const second = await create(writer);
  const path = `/conversations/${first}`;
  expect((await call(writer, "PATCH", path, { subject: "new" })).status).toBe(200);
  expect(await isServedByReplica(writer)).toBe(false);
  expect(await listed(writer)).toEqual([second, first]);
  // It read the same tenant from the replica, which does not have the second one yet.
  await expect.poll(() => isServedByReplica(colleague)).toBe(true);
  await expect.poll(() => listed(colleague)).toEqual([first]);
  // A cursor that the replica does not know is not an error.
  const next = await call(colleague, "GET", `/conversations?cursor=${second}`);
  expect(next.body.data.map(({ id }: { id: string }) => id)).toEqual([first]);

  await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_resume()");
  await expect.poll(() => isServedByReplica(writer)).toBe(true);
  expect(await listed(writer)).toEqual([second, first]);
});

test("a replayed response counts as a write, because the process that wrote it may have ended", async () => {
  const writer = await newTenant();
  await create(writer);
  await expect.poll(() => isServedByReplica(writer)).toBe(true);
  await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_pause()");
  const post = () =>
    call(writer, "POST", "/conversations", { channelId: "web" }, { "idempotency-key": "again" });
  const first = await post();
  forgetPositions();
  const replayed = await post();
  expect([replayed.body.id, replayed.headers.get("idempotent-replayed")]).toEqual([
    first.body.id,
    "true",
  ]);
  expect(await isServedByReplica(writer)).toBe(false);
  expect(await listed(writer)).toContain(first.body.id);
  await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_resume()");
});

test("the log of requests is read from the replica", async () => {
  const reader = await newTenant();
  const logged = async () => {
    await flushRequestLogs();
    const path = "/request-logs?path=/v1/public/customers";
    const { status, body } = await call(reader, "GET", path);
    expect(status).toBe(200);
    return body.data.length;
  };
  await expect.poll(() => isServedByReplica(reader)).toBe(true);
  await call(reader, "GET", "/customers");
  await expect.poll(logged).toBe(1);
  await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_pause()");
  await call(reader, "GET", "/customers");
  await expect.poll(logged).toBe(1);
  await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_resume()");
  await expect.poll(logged).toBe(2);
});

test("a read during which the replica restarted is repeated on the primary", async () => {
  const tenant = await newTenant();
  await onDatabase(servers.primaryUrl, "CHECKPOINT");
  const id = await create(tenant);
  await expect.poll(() => isServedByReplica(tenant)).toBe(true);

  const reads: { isReplica: boolean | undefined; ids: string[] }[] = [];
  const actor = { type: "API_KEY", id: tenant.keyId } as const;
  const read = await readFromReplica({ ...tenant.identity, actor }, async (caller) => {
    // It comes back without what it had replayed, and does not catch up.
    if (reads.length === 0) await servers.crashReplica({ recovery_min_apply_delay: "1h" });
    const [row] = await caller.db.$queryRaw<{ is: boolean }[]>`SELECT pg_is_in_recovery() AS is`;
    const found = await caller.db.conversation.findMany({ where: tenant.identity.partition });
    reads.push({ isReplica: row?.is, ids: found.map((conversation) => conversation.id) });
    return reads.at(-1);
  });
  expect(read).toEqual({ isReplica: false, ids: [id] });
  expect(reads).toHaveLength(2);
  expect(reads[0]).toEqual({ isReplica: true, ids: [] });

  await servers.crashReplica();
  await expect.poll(() => isServedByReplica(tenant)).toBe(true);
});

test("a replica that goes silent fails no request, and is used again when it responds", async () => {
  const tenant = await newTenant();
  const id = await create(tenant);
  await expect.poll(() => isServedByReplica(tenant)).toBe(true);

  proxy.goSilent();
  // Some of these were sent before the process noticed.
  const during = await Promise.all(Array.from({ length: 20 }, () => listed(tenant)));
  expect(during).toEqual(during.map(() => [id]));
  expect(await isServedByReplica(tenant)).toBe(false);
  // The primary's connections are not suspected.
  expect(await db().$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);

  proxy.speakAgain();
  await expect.poll(() => isServedByReplica(tenant)).toBe(true);
});

test("a replica that crashed and has to replay again what it had does not serve a key that wrote it", async () => {
  const writer = await newTenant();
  await onDatabase(servers.primaryUrl, "CHECKPOINT");
  const first = await create(writer);
  await expect.poll(() => isServedByReplica(writer)).toBe(true);
  // It starts again from here.
  await onDatabase(servers.replicaUrl, "CHECKPOINT");
  const second = await create(writer);
  await expect.poll(() => isServedByReplica(writer)).toBe(true);
  // This process forgets writes that the replica has.
  await expect.poll(() => lastWriteOf(writer.keyId)).toBe(0);

  await servers.crashReplica({ recovery_min_apply_delay: "1h" });
  const found = await onDatabase(
    servers.replicaUrl,
    `SELECT 1 FROM conversations WHERE id = '${second}'`,
  );
  expect(found).toEqual([]);
  const { replayed } = await replayedBy(servers.replicaUrl);
  // Also while the process does not know yet that the replica is another one.
  await expect
    .poll(async () => {
      expect(await listed(writer)).toEqual([second, first]);
      return (globalThis as { parlanceReplica?: { replayed: number } }).parlanceReplica?.replayed;
    })
    .toBe(replayed);
  expect(await isServedByReplica(writer)).toBe(false);
  expect(await listed(writer)).toEqual([second, first]);

  await servers.crashReplica();
  await expect.poll(() => isServedByReplica(writer)).toBe(true);
  expect(await listed(writer)).toEqual([second, first]);
});

const redisServer = findRedisServer();
test.skipIf(!redisServer)(
  "with a shared store, another process knows what a key wrote here",
  async () => {
    const bridge = await startUpstashBridge(redisServer ?? "");
    try {
      Object.assign(env(), {
        UPSTASH_REDIS_REST_URL: bridge.url,
        UPSTASH_REDIS_REST_TOKEN: bridge.token,
      });
      forgetPositions();
      const writer = await newTenant();
      // A store that was empty a moment ago may have been restarted.
      expect(await lastWriteOf(writer.keyId)).toBe(Number.POSITIVE_INFINITY);
      const command = (...words: string[]) =>
        fetch(bridge.url, {
          method: "POST",
          headers: { authorization: `Bearer ${bridge.token}` },
          body: JSON.stringify(words),
        });
      const hasEverythingSinceLong = async () => {
        await command("SET", "parlance:written-since", "1");
        forgetPositions();
      };
      await hasEverythingSinceLong();
      await create(writer);
      const written = await lastWriteOf(writer.keyId);
      expect(written).toBeGreaterThan(0);
      forgetPositions();
      expect(await lastWriteOf(writer.keyId)).toBe(written);
      bridge.stopAnswering();
      expect(await lastWriteOf(writer.keyId)).toBe(Number.POSITIVE_INFINITY);

      // A write that the store misses, in a process that noticed an outage, and in one that did not.
      const missed = await create(writer);
      bridge.recover();
      expect(await lastWriteOf(writer.keyId)).toBe(Number.POSITIVE_INFINITY);
      expect(await isServedByReplica(writer)).toBe(false);
      forgetPositions();
      expect(await listed(writer)).toContain(missed);
      // It is in the store once that responds.
      await expect
        .poll(() => {
          forgetPositions();
          return lastWriteOf(writer.keyId);
        })
        .toBeGreaterThan(written);

      // Redis restarts, and has forgotten everything. No process notices a failure.
      await expect.poll(() => isServedByReplica(writer)).toBe(true);
      await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_pause()");
      const forgotten = await create(writer);
      await command("FLUSHALL");
      const forgetOwn = () =>
        (
          globalThis as unknown as { parlanceWritePositions: { own: Map<string, number> } }
        ).parlanceWritePositions.own.clear();
      // In another process that used the store before, and in one that has just started.
      for (const become of [forgetOwn, forgetPositions]) {
        become();
        expect(await lastWriteOf(writer.keyId)).toBe(Number.POSITIVE_INFINITY);
        expect(await listed(writer)).toContain(forgotten);
      }
      await onDatabase(servers.replicaUrl, "SELECT pg_wal_replay_resume()");
      await hasEverythingSinceLong();
      await expect.poll(() => isServedByReplica(writer)).toBe(true);
    } finally {
      Object.assign(env(), {
        UPSTASH_REDIS_REST_URL: undefined,
        UPSTASH_REDIS_REST_TOKEN: undefined,
      });
      forgetPositions();
      await bridge.stop();
    }
  },
);

test("doctor says how far the replica is behind, and what is wrong with it", async () => {
  const examined = (DATABASE_REPLICA_URL: string | undefined) =>
    examineReplica({ ...env(), DATABASE_REPLICA_URL });
  expect(await examined(undefined)).toEqual([]);
  expect(await examined(servers.replicaUrl)).toEqual([
    {
      subject: "replica",
      fact: expect.stringMatching(/^\d+ bytes behind at .*configure Upstash$/),
    },
  ]);
  expect(await examined(servers.primaryUrl)).toEqual([
    { subject: "replica", problem: expect.stringContaining("is not a streaming replica") },
  ]);
  expect(await examined("postgresql://nobody@127.0.0.1:1/parlance")).toEqual([
    { subject: "replica", problem: expect.stringContaining("cannot be used") },
  ]);
});
