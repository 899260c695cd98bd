import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type Backlog,
  type ClaimedDelivery,
  claimDeliveries,
  claimMore,
  startOfScan,
} from "@/lib/deliveries/engine/claim";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { endedAttempt } from "@/lib/deliveries/engine/record";
import { createRecorder } from "@/lib/deliveries/engine/recorder";
import { db, pool } from "@/lib/platform/db";
import { startReceiver } from "../support/receiver";
import {
  attemptsOf,
  findDelivery,
  newWebhook,
  raiseBacklog,
  type TestWebhook,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// With a backlog, a claim continues where the last one ended.

const nowhere = "http://127.0.0.1:9/";

let clock: VirtualClock;
beforeEach(async () => {
  clock = virtualClock();
  // Nothing that another test left behind.
  await pool().query("UPDATE deliveries SET status = 'DISCARDED', next_attempt_at = NULL");
});
afterEach(() => clock.release());

const minutesAgo = (minutes: number) => clock.minutesAgo(minutes);
const idsOf = (deliveries: { id: string }[]) => deliveries.map(({ id }) => id).sort();

const claim = (allowances: Map<string, number> = new Map()) =>
  claimDeliveries({
    ...{ limit: 160, cursor: startOfScan, overdueSeconds: 0 },
    ...{ allowances, defaultAllowance: 100 },
  });

/** A webhook of which everything up to `dueAt` is taken. */
const backlogOf = ({ partition, id }: TestWebhook, dueAt: Date): Backlog => ({
  ...partition,
  ...{ webhookId: id, taken: 1, dueMs: dueAt.getTime() },
});

/** How many more a claim takes of a webhook with five due deliveries. */
async function takenOf(webhook: TestWebhook): Promise<number> {
  const { deliveries } = await claimMore([backlogOf(webhook, minutesAgo(5))], [100]);
  return deliveries.length;
}

async function newWaiting(options: Parameters<typeof newWebhook>[2] = {}): Promise<TestWebhook> {
  const webhook = await newWebhook(nowhere, undefined, options);
  await raiseBacklog(webhook.partition, webhook.id, 5, minutesAgo(5));
  return webhook;
}

const change = ({ partition, id }: TestWebhook, data: object) =>
  db().webhook.updateMany({ where: { ...partition, id }, data });

describe("continuing", () => {
  test("takes each delivery once, from where the last claim ended, until a share is not used up", async () => {
    const [one, two] = [await newWebhook(nowhere), await newWebhook(nowhere)];
    for (const { partition, id } of [one, two])
      for (const minutes of [5, 4, 3, 2, 1])
        await raiseBacklog(partition, id, 10, minutesAgo(minutes));
    const first = await claim(new Map([one, two].map(({ id }) => [id, 15])));
    expect(first.backlogs).toHaveLength(2);
    for (const backlog of first.backlogs)
      expect(backlog).toMatchObject({ taken: 15, dueMs: minutesAgo(4).getTime() });

    const claimed: ClaimedDelivery[] = [...first.deliveries];
    let { backlogs } = first;
    const shares: number[] = [];
    while (backlogs.length > 0) {
      const more = await claimMore(
        backlogs,
        backlogs.map(() => 12),
      );
      shares.push(more.deliveries.length);
      claimed.push(...more.deliveries);
      ({ backlogs } = more);
    }
    expect(shares).toEqual([24, 24, 22]);
    expect(new Set(idsOf(claimed)).size).toBe(100);
    expect(claimed.every(({ payload, sealedSecrets }) => payload && sealedSecrets)).toBe(true);
    const [{ id = "", leaseHolder = "" } = {}] = claimed.slice(-1);
    expect(
      await findDelivery(one.partition, id).catch(() => findDelivery(two.partition, id)),
    ).toMatchObject({ leaseHolder });
  });

  test("leaves what is due earlier or later to a claim that looks at everything", async () => {
    const webhook = await newWebhook(nowhere);
    const { partition, id } = webhook;
    const earlier = await raiseBacklog(partition, id, 2, minutesAgo(9));
    const due = await raiseBacklog(partition, id, 3, minutesAgo(5));
    const later = await raiseBacklog(partition, id, 4, minutesAgo(-1));
    const more = await claimMore([backlogOf(webhook, minutesAgo(5))], [100]);
    expect(idsOf(more.deliveries)).toEqual(idsOf(due));
    expect(more.backlogs).toEqual([]);
    expect(idsOf((await claim()).deliveries)).toEqual(idsOf(earlier));
    clock.advance(61);
    expect(idsOf((await claim()).deliveries)).toEqual(expect.arrayContaining(idsOf(later)));
  });

  test("takes nothing of a webhook that is no longer plain", async () => {
    expect(await takenOf(await newWaiting())).toBe(5);
    expect(await takenOf(await newWaiting({ ordering: "conversation" }))).toBe(0);
    expect(await takenOf(await newWaiting({ maxPerSecond: 100 }))).toBe(0);
    for (const data of [
      { status: "DISABLED" },
      { deletedAt: clock.now() },
      { consecutiveFailures: 10 },
    ]) {
      const webhook = await newWaiting();
      await change(webhook, data);
      expect(await takenOf(webhook)).toBe(0);
    }
  });

  test("is for plain webhooks only", async () => {
    const plain = await newWaiting();
    await newWaiting({ ordering: "conversation" });
    await newWaiting({ maxPerSecond: 5 });
    await change(await newWaiting(), { consecutiveFailures: 10 });
    const { backlogs } = await claim(new Map([[plain.id, 5]]));
    expect(backlogs.map(({ webhookId }) => webhookId)).toEqual([plain.id]);
  });
});

test("what becomes due while a backlog is sent does not wait for its end", async () => {
  const receiver = await startReceiver();
  const [crowded, other] = [await newWebhook(receiver.url), await newWebhook(receiver.url)];
  const total = 10_000;
  // Each request that arrives moves the clock by a millisecond.
  const after = (requests: number) => new Date(beganAt.getTime() + requests);
  const beganAt = clock.now();
  for (let minutes = 10; minutes > 0; minutes--)
    await raiseBacklog(crowded.partition, crowded.id, total / 10, minutesAgo(minutes));
  // By then, the webhook may have more in flight than the worker sends at the same time.
  const [late] = await raiseBacklog(other.partition, other.id, 1, after(3_000));
  const { respond } = receiver;
  receiver.respond = (response, received) => {
    clock.advanceTo(after(receiver.requests.length));
    respond(response, received);
  };
  const loop = startDelivering({ concurrency: 1_000, concurrencyPerWebhook: 1_000 });
  await receiver.received(total + 1);
  await loop.stop();
  await receiver.close();
  expect(receiver.requests).toHaveLength(total + 1);
  const [attempt] = await attemptsOf(other.partition, late?.id ?? "");
  expect(attempt?.startedAt.getTime()).toBeGreaterThanOrEqual(after(3_000).getTime());
  expect(attempt?.startedAt.getTime()).toBeLessThan(after(6_000).getTime());
});

test("a recorded attempt makes room for the next one immediately", async () => {
  await newWaiting();
  const sizes: number[] = [];
  const recorder = createRecorder({ onRecorded: () => sizes.push(recorder.size()) });
  const { deliveries } = await claim();
  const result = { statusCode: 200, response: "", durationMs: 1 };
  const recording = deliveries.map((delivery) =>
    recorder.record(endedAttempt(delivery, result, clock.now())),
  );
  expect(recorder.size()).toBe(5);
  await Promise.all(recording);
  await recorder.flush();
  expect(sizes).toEqual([0]);
});
