import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { claimDelivery, claimNamed } from "@/lib/deliveries/engine/claim";
import { claimNamedStatement } from "@/lib/deliveries/engine/claim.sql";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import type { DeliveryReference } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool, poolSize } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import { newId } from "@/lib/resources/ids";
import { listenForWakeUps } from "@/lib/scheduling/wake-listener";
import { hasWaiting } from "../support/locks";
import { startReceiver } from "../support/receiver";
import {
  newWebhook,
  raiseBacklog,
  type TestWebhook,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// A notification names the deliveries that have become due. While a worker knows of nothing else that
// is due, it claims these by their keys.

// A statement that waits for a lock must not give up before the test has seen it.
databaseWaits.lock = 120_000;
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";

const nowhere = "http://127.0.0.1:9/";
/** So long that a worker in a test never looks for anything by itself. */
const neverMs = 3_600_000;

let clock: VirtualClock;
beforeEach(async () => {
  clock = virtualClock();
  // Nothing that another test left behind.
  await pool().query("UPDATE deliveries SET status = 'DISCARDED', next_attempt_at = NULL");
});
afterEach(() => clock.release());

const idsOf = (deliveries: { id: string }[]) => deliveries.map(({ id }) => id).sort();

async function newDue(count: number, options: Parameters<typeof newWebhook>[2] = {}) {
  const webhook = await newWebhook(nowhere, undefined, options);
  return { webhook, due: await raise(webhook, count) };
}

const raise = ({ partition, id }: TestWebhook, count: number, minutesAgo = 1) =>
  raiseBacklog(partition, id, count, clock.minutesAgo(minutesAgo));

const change = ({ partition, id }: TestWebhook, data: object) =>
  db().webhook.updateMany({ where: { ...partition, id }, data });

const claim = (named: DeliveryReference[], allowances: [TestWebhook, number][] = []) =>
  claimNamed(named, {
    allowances: new Map(allowances.map(([{ id }, allowance]) => [id, allowance])),
    defaultAllowance: 4,
  });

describe("a claim of named deliveries", () => {
  test("takes what is due of plain webhooks once, with everything that sending needs", async () => {
    const [one, two] = [await newDue(3), await newDue(2)];
    const later = await raise(one.webhook, 1, -1);
    const unnamed = await raise(two.webhook, 1);
    const named = [...one.due, ...two.due, ...later];
    const { deliveries, others } = await claim(named);
    expect(idsOf(deliveries)).toEqual(idsOf([...one.due, ...two.due]));
    expect(others).toBe(0);
    for (const { payload, sealedSecrets, url, isPaced } of deliveries) {
      expect(payload).not.toBe("");
      expect(sealedSecrets).not.toBe("");
      expect({ url, isPaced }).toEqual({ url: nowhere, isPaced: false });
    }
    expect(await claim(named)).toEqual({ deliveries: [], others: 0 });
    expect(idsOf((await claim(unnamed)).deliveries)).toEqual(idsOf(unnamed));
  });

  test("leaves webhooks that are not plain, and says how many deliveries these have", async () => {
    const plain = await newDue(1);
    const ordered = await newDue(2, { ordering: "conversation" });
    const paced = await newDue(3, { maxPerSecond: 100 });
    const failing = await newDue(4);
    await change(failing.webhook, { consecutiveFailures: 10 });
    const all = [plain, ordered, paced, failing].flatMap(({ due }) => due);
    const { deliveries, others } = await claim(all);
    expect(idsOf(deliveries)).toEqual(idsOf(plain.due));
    expect(others).toBe(2 + 3 + 4);
  });

  test("takes the first of each webhook up to its allowance, and counts none of one without", async () => {
    const [few, none, unknown] = [await newDue(5), await newDue(5), await newDue(5)];
    const all = [few, none, unknown].flatMap(({ due }) => due);
    const { deliveries, others } = await claim(all, [
      [few.webhook, 2],
      [none.webhook, 0],
    ]);
    expect(idsOf(deliveries)).toEqual(idsOf([...few.due.slice(0, 2), ...unknown.due.slice(0, 4)]));
    expect(others).toBe(3 + 1);
  });

  test("takes nothing that is requested, finished, in flight, or another organization's", async () => {
    const { webhook, due } = await newDue(4);
    const [requested, finished, inFlight, free] = due as [
      DeliveryReference,
      DeliveryReference,
      DeliveryReference,
      DeliveryReference,
    ];
    const set = (id: string, columns: string) =>
      pool().query(`UPDATE deliveries SET ${columns} WHERE id = $1`, [id]);
    await set(requested.id, "requested_at = now(), requested_trigger = 'MANUAL'");
    await set(finished.id, "status = 'DELIVERED'");
    expect(await claimDelivery(inFlight)).toMatchObject({ id: inFlight.id });
    const foreign = { ...free, tenantId: newId("tenant") };
    const elsewhere = { ...free, environment: "live" as const };
    const { deliveries, others } = await claim([requested, finished, inFlight, foreign, elsewhere]);
    expect({ deliveries, others }).toEqual({ deliveries: [], others: 0 });
    expect(idsOf((await claim([free], [[webhook, 9]])).deliveries)).toEqual([free.id]);
  });

  test("locks none of a webhook without an allowance, so that another worker can claim them", async () => {
    const { webhook, due } = await newDue(2);
    const other = new pg.Client({ connectionString: env().DATABASE_URL });
    await other.connect();
    await other.query("BEGIN");
    await other.query(
      claimNamedStatement({
        ...{ now: null, leaseHolder: "other", leaseSeconds: 30, defaultAllowance: 4 },
        ...{ webhookIds: [], allowances: [], fullWebhookIds: [webhook.id] },
        tenantIds: due.map(({ tenantId }) => tenantId),
        environments: due.map(({ environment }) => environment),
        ids: due.map(({ id }) => id),
      }),
    );
    expect(idsOf((await claim(due)).deliveries)).toEqual(idsOf(due));
    await other.end();
  });

  test("does not wait for a delivery that is locked", async () => {
    const { due } = await newDue(3);
    const other = new pg.Client({ connectionString: env().DATABASE_URL });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM deliveries WHERE id = $1 FOR UPDATE", [due[1]?.id]);
    const { deliveries } = await claim(due);
    expect(idsOf(deliveries)).toEqual(idsOf([due[0], due[2]] as DeliveryReference[]));
    await other.end();
  });
});

describe("a worker", () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let delivering: ReturnType<typeof startDelivering>;
  let webhook: TestWebhook;
  const open: ServerResponse[] = [];
  const respond = (response: ServerResponse) => void response.end();
  const hold = (response: ServerResponse) => void open.push(response);
  const sent = () =>
    receiver.requests.map(({ headers }) => String(headers["x-service-delivery-id"]));

  /** Starts one that has sent a delivery, so that it has looked for what is due. */
  async function start(options: Parameters<typeof startDelivering>[0] = {}): Promise<void> {
    await raise(webhook, 1, 10);
    delivering = startDelivering({ pollMs: neverMs, ...options });
    await receiver.received(1);
    await expect.poll(inFlight).toBe(0);
  }

  const inFlight = () =>
    db().delivery.count({ where: { ...webhook.partition, leaseHolder: { not: null } } });

  /** Whether the worker still waits for all responses that are held, so none of them made room. */
  const areHeld = () => open.every(({ destroyed }) => !destroyed);

  beforeEach(async () => {
    receiver = await startReceiver(respond);
    webhook = await newWebhook(receiver.url);
  });
  afterEach(async () => {
    for (const response of open.splice(0)) response.end();
    await delivering.stop();
    await receiver.close();
  });

  test("sends what a notification names without looking for anything else", async () => {
    await start();
    const due = await raise(webhook, 4);
    delivering.wake(due.slice(1, 3));
    await receiver.received(3);
    expect(sent().slice(1).sort()).toEqual(idsOf(due.slice(1, 3)));
    delivering.wake();
    await receiver.received(5);
    expect(sent().slice(1).sort()).toEqual(idsOf(due));
  });

  test("that stops during such a claim claims nothing more", async () => {
    await start();
    const due = await raise(webhook, 20);
    const held = await Promise.all(Array.from({ length: poolSize() }, () => pool().connect()));
    delivering.wake(due.slice(1, 3));
    await expect.poll(() => pool().waitingCount).toBeGreaterThan(0);
    // The worker then waits for the claim before it looks for everything.
    delivering.wake();
    await setImmediate();
    const stopped = delivering.stop();
    for (const client of held) client.release();
    await stopped;
    expect(sent().slice(1).sort()).toEqual(idsOf(due.slice(1, 3)));
  });

  test("keeps the limit of a webhook, and sends the rest as soon as it has room", async () => {
    await start({ concurrencyPerWebhook: 3 });
    receiver.respond = hold;
    const due = await raise(webhook, 20);
    delivering.wake(due.slice(0, 10));
    delivering.wake(due.slice(10));
    await receiver.received(4);
    await settled();
    expect(await inFlight()).toBe(3);
    expect(receiver.requests).toHaveLength(4);
    receiver.respond = respond;
    for (const response of open.splice(0)) response.end();
    await receiver.received(21);
    expect(sent().slice(1).sort()).toEqual(idsOf(due));
  });

  test("sends the older deliveries of a webhook that has more before those that are named", async () => {
    await start({ concurrencyPerWebhook: 4 });
    receiver.respond = hold;
    const old = await raise(webhook, 20, 5);
    delivering.wake();
    await receiver.received(5);
    await settled();
    open.shift()?.end();
    await expect.poll(inFlight).toBe(3);
    const [named] = await raise(webhook, 1, 0);
    delivering.wake([named as DeliveryReference]);
    await receiver.received(6);
    expect(idsOf(old)).toContain(sent().at(-1));
    receiver.respond = respond;
    for (const response of open.splice(0)) response.end();
    await receiver.received(22);
    expect(sent().slice(1).sort()).toEqual(idsOf([...old, named as DeliveryReference]));
  });

  test("fills each slot of a webhook without older deliveries", async () => {
    await start({ concurrencyPerWebhook: 4 });
    receiver.respond = hold;
    delivering.wake(await raise(webhook, 4));
    await receiver.received(5);
    // Names another webhook while all slots of this one are in use.
    await settled();
    open.shift()?.end();
    await expect.poll(inFlight).toBe(3);
    delivering.wake(await raise(webhook, 1));
    await receiver.received(6);
    expect(areHeld()).toBe(true);
  });

  test("is not held up by a delivery that is locked", async () => {
    await start();
    const [locked] = await raise(webhook, 1);
    const other = new pg.Client({ connectionString: env().DATABASE_URL });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM deliveries WHERE id = $1 FOR UPDATE", [locked?.id]);
    delivering.wake([locked as DeliveryReference]);
    await expect.poll(() => hasWaiting(other)).toBe(true);
    await settled();
    expect(receiver.requests).toHaveLength(1);
    await other.query("ROLLBACK");
    await receiver.received(2);
    await other.end();
  });

  test("sends what another worker was named, too, and leaves", async () => {
    await start();
    const second = startDelivering({ pollMs: neverMs });
    receiver.respond = hold;
    for (let round = 1; round <= 8; round++) {
      await settled();
      await settled(second);
      const shared = await newWebhook(receiver.url);
      const due = await raise(shared, 8);
      const before = receiver.requests.length;
      delivering.wake(due);
      second.wake(due);
      await receiver.received(before + 8);
      expect(areHeld()).toBe(true);
      for (const response of open.splice(0)) response.end();
    }
    await second.stop();
  });

  test("does not let attempts that hang delay those behind them", async () => {
    await start();
    const hanging = await startReceiver(hold);
    const named: DeliveryReference[] = [];
    // More than may be unrecorded, with four of each webhook.
    for (let index = 0; index < 45; index++)
      named.push(...(await raise(await newWebhook(hanging.url), 4)));
    // Until the clock continues, the first ones count as quick.
    const stopped = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    delivering.wake(named);
    await hanging.received(160);
    stopped.mockRestore();
    await hanging.received(180);
    await settled();
    expect(areHeld()).toBe(true);
    await hanging.close();
  });

  /** Resolves when the worker has claimed what it may, and waits to be woken. */
  async function settled(worker = delivering): Promise<void> {
    const other = await startReceiver(respond);
    const { partition, id } = await newWebhook(other.url);
    worker.wake(await raiseBacklog(partition, id, 1, clock.minutesAgo(1)));
    await other.received(1);
    await other.close();
  }
});

test("a notification names up to 64 deliveries", async () => {
  const received: DeliveryReference[][] = [];
  const listener = listenForWakeUps((deliveries = []) => void received.push(deliveries));
  await expect.poll(() => received).toEqual([[]]);
  const reference = (): DeliveryReference => ({
    tenantId: newId("tenant"),
    environment: "test",
    id: newId("delivery"),
  });
  const some = Array.from({ length: 64 }, reference);
  wakeDeliveries(some);
  await expect.poll(() => received).toEqual([[], some]);
  wakeDeliveries([...some, reference()]);
  await expect.poll(() => received).toEqual([[], some, []]);
  await listener.stop();
});
