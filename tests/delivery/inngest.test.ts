import { afterEach, beforeEach, expect, test } from "vitest";
import { POST } from "@/app/api/inngest/route";
import { deliveryDue, registerClock } from "@/inngest/client";
import { mutate, system } from "@/lib/caller";
import { resendDelivery } from "@/lib/deliveries/service";
import { env } from "@/lib/env";
import { embeddedClock, setClock } from "@/lib/jobs/clock";
import { recurringJobs } from "@/lib/jobs/recurring-jobs";
import { runFunction, signedRequest } from "../support/inngest-executor";
import { type Receiver, startReceiver } from "../support/receiver";
import { attemptsOf, findWebhook, newWebhook, raiseEvent, type VirtualClock, virtualClock } from "../support/webhooks";

const signingKey = `signkey-test-${"0123456789abcdef".repeat(4)}`;

const inngestServer = await startReceiver((response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"ids":["1"],"status":200}');
});
// The environment is parsed at the first call of env(), which comes later. Cloud mode: requests must be signed.
Object.assign(process.env, {
  JOBS: "inngest",
  INNGEST_EVENT_KEY: "event-key-of-this-test",
  INNGEST_SIGNING_KEY: signingKey,
  INNGEST_BASE_URL: inngestServer.url,
});

let receiver: Receiver;
let clock: VirtualClock;
beforeEach(async () => {
  receiver = await startReceiver();
  clock = virtualClock();
});
afterEach(async () => {
  clock.release();
  setClock(embeddedClock);
  await receiver.close();
});

async function newRun() {
  const webhook = await newWebhook(receiver.url);
  const [delivery] = await raiseEvent(webhook.partition);
  if (!delivery) throw new Error("the event reached no webhook");
  const data = { ...webhook.partition, deliveryId: delivery.id, webhookId: webhook.id };
  const event = { id: `${delivery.id}:1`, name: deliveryDue.name, data };
  return { webhook, delivery, run: { handler: POST, functionId: "parlance-deliver-webhook", event, signingKey, clock } };
}

test("a run delivers in one step", async () => {
  const { run } = await newRun();
  const { result, operations } = await runFunction(run);
  expect(result).toEqual({ state: "delivered", retryAt: null });
  expect(operations.map(({ op }) => op)).toEqual(["StepRun"]);
  expect(receiver.requests).toHaveLength(1);
});

test("a run makes all eight attempts, each at its time, and sleeps seven times between them", async () => {
  receiver.answer = (response) => void response.writeHead(500).end();
  const { webhook, delivery, run } = await newRun();
  const { result, operations } = await runFunction(run);

  expect(result).toEqual({ state: "failed", retryAt: null });
  expect(operations.map(({ op }) => op).join()).toBe(`StepRun${",Sleep,StepRun".repeat(7)}`);
  expect(receiver.requests.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  expect(new Set(receiver.requests.map(({ headers }) => headers["x-service-signature"])).size).toBe(8);

  const starts = (await attemptsOf(webhook.partition, delivery.id)).map(({ startedAt }) => startedAt.getTime());
  for (const [index, seconds] of env().WEBHOOK_RETRY_SCHEDULE.entries()) {
    const delay = ((starts[index + 1] ?? 0) - (starts[index] ?? 0)) / 1000;
    expect(delay).toBeGreaterThanOrEqual(seconds * (index === 6 ? 0.9 : 1) - 0.01);
    expect(delay).toBeLessThanOrEqual(seconds * (index === 6 ? 1 : 1.1) + 0.01);
  }
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 8 });
});

test("a run that is repeated from its start sends nothing again", async () => {
  const { run } = await newRun();
  await runFunction(run);
  expect((await runFunction(run)).result).toEqual({ state: "delivered", retryAt: null });
  expect(receiver.requests).toHaveLength(1);
});

test.each(Object.keys(recurringJobs))("%s ends after a batch that is not full", async (name) => {
  const event = { name: "inngest/scheduled.timer", data: {} };
  const { operations, result } = await runFunction({ handler: POST, functionId: `parlance-${name}`, event, signingKey, clock });
  expect(operations).toMatchObject([{ op: "StepRun", data: result }]);
});

test("a request that is not signed, or by another key, runs nothing", async () => {
  const { run } = await newRun();
  const body = {
    version: 2,
    event: run.event,
    events: [run.event],
    steps: {},
    ctx: { run_id: "run", attempt: 0, stack: { stack: [], current: 0 } },
  };
  const unsigned = signedRequest(run.functionId, body, signingKey);
  unsigned.headers.delete("x-inngest-signature");
  expect((await POST(unsigned)).status).toBe(401);
  expect((await POST(signedRequest(run.functionId, body, `signkey-test-${"f".repeat(64)}`))).status).toBe(401);
  expect(receiver.requests).toHaveLength(0);
});

test("a commit sends Inngest the ids of its deliveries, and nothing else", async () => {
  registerClock();
  const webhook = await newWebhook(receiver.url);
  const [delivery] = await raiseEvent(webhook.partition);
  await inngestServer.received(1);
  const [sent] = inngestServer.requests;
  expect(sent?.path).toBe("/e/event-key-of-this-test");
  const [event, ...others] = JSON.parse(sent?.body ?? "");
  expect(others).toEqual([]);
  expect(event).toMatchObject({ id: `${delivery?.id}:1`, name: "delivery/due" });
  expect(event.data).toEqual({ ...webhook.partition, deliveryId: delivery?.id, webhookId: webhook.id });
  expect(sent?.body).not.toContain(webhook.secret);
});

test("a resend wakes Inngest under an id of its own, and its run makes the attempt that was asked for", async () => {
  const { webhook, delivery, run } = await newRun();
  await runFunction(run);
  registerClock();
  const before = inngestServer.requests.length;
  await mutate(system(webhook.partition), (caller) => resendDelivery(caller, webhook.id, delivery.id));
  await inngestServer.received(before + 1);
  const [event] = JSON.parse(inngestServer.requests[before]?.body ?? "");
  expect(event).toMatchObject({ id: `${delivery.id}:2`, data: run.event.data });

  const { result, operations } = await runFunction({ ...run, event });
  expect(result).toEqual({ state: "delivered", retryAt: null });
  expect(operations.map(({ op }) => op)).toEqual(["StepRun"]);
  expect((await attemptsOf(webhook.partition, delivery.id)).map(({ trigger }) => trigger)).toEqual(["AUTOMATIC", "MANUAL"]);
});
