import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findKey } from "@/lib/api-keys/key-cache";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { closeDatabase, db, pool, poolStuckMs } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { wakeChannel } from "@/lib/platform/wake-ups";
import { health } from "@/lib/readiness/service";
import { listenForWakeUps } from "@/lib/scheduling/wake-listener";
import { startReceiver } from "../support/receiver";
import { startSilentProxy } from "../support/silent-proxy";
import { countByStatus, newWebhook, raiseEvent } from "../support/webhooks";

vi.hoisted(() => {
  process.env.DATABASE_STATEMENT_TIMEOUT_MS = "2000";
  process.env.DATABASE_POOL_SIZE = "4";
});

let proxy: Awaited<ReturnType<typeof startSilentProxy>>;
beforeAll(async () => {
  proxy = await startSilentProxy(env().DATABASE_URL);
  env().DATABASE_URL = proxy.url;
});
afterAll(async () => {
  await closeDatabase();
  await proxy.close();
});

const read = () => pool().query("SELECT 1");

test("statements, transactions, deliveries and LISTEN work again after a silent database is back", async () => {
  const receiver = await startReceiver();
  const webhook = await newWebhook(receiver.url);
  let wakeUps = 0;
  const listener = listenForWakeUps(() => wakeUps++);
  const delivering = startDelivering();
  await findKey(Buffer.alloc(32));
  await expect.poll(() => wakeUps).toBeGreaterThan(0);

  proxy.goSilent();
  // More than there are connections: in one statement, in a transaction, and idle ones that are
  // used next.
  const during = await Promise.allSettled([
    ...Array.from({ length: 4 }, read),
    ...Array.from({ length: 4 }, () =>
      db().$transaction((transaction) => transaction.tenant.count()),
    ),
  ]);
  expect(
    during.map((outcome) => outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason)),
  ).toEqual(during.map(() => true));

  proxy.speakAgain();
  await expect.poll(() => read().catch(() => null)).toMatchObject({ rowCount: 1 });
  expect(await db().$transaction((transaction) => transaction.tenant.count())).toBeGreaterThan(0);
  await raiseEvent(webhook.partition);
  await expect.poll(() => countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 1 });
  const heard = wakeUps;
  await expect
    .poll(async () => {
      await pool().query(`NOTIFY ${wakeChannel}`);
      return wakeUps;
    })
    .toBeGreaterThan(heard);

  listener.stop();
  await delivering.stop();
  await receiver.close();
});

test("a slow statement ends with PostgreSQL's own error, not with the deadline of its connection", async () => {
  await expect(pool().query("SELECT pg_sleep(30)")).rejects.toMatchObject({ code: "57014" });
});

test("closing the database ends although connections are silent", async () => {
  await read();
  proxy.goSilent();
  const pending = read().catch(() => null);
  // Until the statement has been sent.
  await setImmediate();
  await closeDatabase();
  expect(await pending).toBeNull();
  proxy.speakAgain();
});

test("503 from /health once every connection has been in use for 30 s without a break", async () => {
  expect(health()).toEqual({ status: 200, body: { status: "ok" } });
  const held = await Promise.all(Array.from({ length: 4 }, () => pool().connect()));
  await setImmediate();
  expect(poolStuckMs()).toBeGreaterThan(0);
  expect(health(29_999).status).toBe(200);
  expect(health(30_000)).toMatchObject({ status: 503, body: { status: "stuck" } });
  held[0]?.release();
  expect(poolStuckMs()).toBe(0);
  for (const client of held.slice(1)) client.release();
});
