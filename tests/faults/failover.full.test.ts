import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { closeDatabase } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { actInDatabase } from "../support/act-in-database";
import { call, newTenant } from "../support/api";
import { startReceiver } from "../support/receiver";
import { onDatabase, startReplicatedPostgres } from "../support/replicated-postgres";
import { startSilentProxy } from "../support/silent-proxy";

const clients = 16;

const ownDatabase = env().DATABASE_URL;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
// Not after each test, so that the listener for revoked keys reconnects to the next test's primary.
afterAll(async () => {
  // That listener may have opened connections to a server that is gone.
  await actInDatabase({ DATABASE_URL: ownDatabase });
});

/** How the clients lose the primary. Each makes new connections reach the replica. */
const failures = {
  "its machine fails": async ({ servers, proxy }: Cluster) => {
    await servers.kill();
    proxy.leadTo(servers.replicaUrl);
  },
  "its network drops every packet": async ({ servers, proxy }: Cluster) => {
    proxy.goSilent();
    proxy.leadTo(servers.replicaUrl);
    proxy.speakAgain();
  },
};
type Cluster = {
  servers: Awaited<ReturnType<typeof startReplicatedPostgres>>;
  proxy: Awaited<ReturnType<typeof startSilentProxy>>;
};

test.each(Object.keys(failures) as (keyof typeof failures)[])(
  "after a failover to a synchronous replica because %s, every acknowledged write is there and delivered",
  async (failure) => {
    const servers = await startReplicatedPostgres({ isSynchronous: true });
    undo.push(servers.stop);
    const proxy = await startSilentProxy(servers.primaryUrl);
    undo.push(proxy.close);
    await actInDatabase({ DATABASE_URL: proxy.url });
    undo.push(closeDatabase);
    const tenant = await newTenant();
    const receiver = await startReceiver();
    undo.push(receiver.close);
    await call(tenant, "POST", "/webhooks", {
      url: receiver.url,
      events: ["conversation.created"],
    });
    const worker = startDelivering();
    undo.push(worker.stop);

    const acknowledged: string[] = [];
    const statuses: Record<number, number> = {};
    let isLoaded = true;
    const load = Array.from({ length: clients }, async () => {
      while (isLoaded) {
        const { status, body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 201) acknowledged.push(body.id);
        else await sleep(20);
      }
    });
    const acknowledgedUntil = (count: number) =>
      expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThanOrEqual(count);
    await acknowledgedUntil(200);
    const listening =
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'parlance keys'";
    await expect.poll(() => onDatabase(servers.primaryUrl, listening)).toEqual([{ count: 1 }]);

    const failedAt = performance.now();
    await failures[failure]({ servers, proxy });
    // Until it is promoted, the replica refuses writes.
    await acknowledgedNothingFor(20, acknowledged);
    const refusedBefore = statuses[503] ?? 0;
    await onDatabase(servers.replicaUrl, "SELECT pg_promote()");
    const promotedAt = performance.now();
    const before = acknowledged.length;
    await acknowledgedUntil(before + 1);
    const firstMs = Math.round(performance.now() - promotedAt);
    await acknowledgedUntil(before + 500);
    isLoaded = false;
    await Promise.all(load);
    process.stdout.write(
      `${failure}: promoted ${Math.round(promotedAt - failedAt)} ms after the failure, first write ${firstMs} ms after the promotion; ${refusedBefore} refused before it, statuses ${JSON.stringify(statuses)}\n`,
    );

    expect(Object.keys(statuses).sort()).toEqual(["201", "503"]);
    const stored = await onDatabase<{ id: string }>(
      servers.replicaUrl,
      "SELECT id FROM conversations",
    );
    const ids = new Set(stored.map(({ id }) => id));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    const undelivered = "SELECT count(*)::int AS left FROM deliveries WHERE status <> 'DELIVERED'";
    await expect
      .poll(() => onDatabase<{ left: number }>(servers.replicaUrl, undelivered))
      .toEqual([{ left: 0 }]);
  },
);

/** Counts turns of the clients, not time. */
async function acknowledgedNothingFor(turns: number, acknowledged: string[]): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const { length } = acknowledged;
    await sleep(20);
    if (acknowledged.length > length) turn = 0;
  }
}
