import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GET, POST, PUT } from "@/app/api/inngest/route";
import { inngestJobClock } from "@/inngest/inngest-clock";
import { enableWebhook, resendDelivery, sendTestEvent } from "@/lib/deliveries/service";
import { recordEvent } from "@/lib/events/record-event";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { log } from "@/lib/platform/log";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import { probes } from "@/lib/readiness/service";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { deleteWebhook, updateWebhook } from "@/lib/webhooks/service";
import { runAdmin } from "../support/admin";
import { clocks, eventKey, inngest, signingKey, type TestClock } from "../support/clocks";
import { eventsOf, runsOf } from "../support/inngest-runs";
import { callBody, cronEvent, type EventData, signedRequest } from "../support/inngest-server";
import { type Receiver, startReceiver } from "../support/receiver";
import { newDocument } from "../support/stored-document";
import {
  countByStatus,
  findDelivery,
  newDelivery,
  newWebhook,
  raiseBacklog,
  raiseEvent,
} from "../support/webhooks";

// What is specific to Inngest: its requests, its events, and its absence. What both clocks promise
// is in the suites that run with each of them.

let receiver: Receiver;
let clock: TestClock;
const respond = inngest.server.respond;
beforeEach(async () => {
  receiver = await startReceiver();
  clock = await clocks[1].start();
});
afterEach(async () => {
  inngest.server.respond = respond;
  await clock.close();
  await receiver.close();
});

const url = "http://app.test/api/inngest?fnId=parlance-send-deliveries&stepId=step";

async function callForDelivery() {
  const { webhook, delivery } = await newDelivery(receiver.url);
  const data = { ...webhook.partition, deliveryIds: [delivery.id], webhookId: webhook.id };
  return callBody([{ name: "deliveries/due", data: data as unknown as EventData }]);
}

test("functions have readable names, limits per webhook and in total, priorities, and cancellations", () => {
  const registered = Object.fromEntries(
    inngest.functions.map(({ id, steps: _, triggers: __, ...settings }) => [id, settings]),
  );
  const priority = { run: "event.data.environment == 'live' ? 60 : 0" };
  expect(registered).toEqual({
    "parlance-send-deliveries": {
      name: "Webhooks: send due deliveries",
      batchEvents: {
        ...{ maxSize: 10, timeout: "1s", key: "event.data.webhookId" },
        if: "event.data.isAlone == false",
      },
      concurrency: [{ key: "event.data.webhookId", limit: 10 }, { limit: 103 }],
    },
    "parlance-wait-for-next-attempt": {
      name: "Webhooks: wait for a delivery's next attempt",
      idempotency: "event.data.key",
      cancel: [{ event: "webhook/deleted", if: "async.data.webhookId == event.data.webhookId" }],
      priority,
    },
    "parlance-process-document": {
      name: "Knowledge: process a document",
      concurrency: { key: "event.data.tenantId", limit: 2 },
      priority,
    },
    "parlance-run-recurring-jobs": { name: "Recurring jobs", singleton: { mode: "skip" } },
    ...Object.fromEntries(
      ["send-deliveries", "wait-for-next-attempt", "process-document", "run-recurring-jobs"].map(
        (name) => [`parlance-${name}-failure`, { name: expect.stringMatching(/ \(failure\)$/) }],
      ),
    ),
  });
});

test("one run a minute has every recurring job as a step", async () => {
  await clock.settle();
  const [run] = inngest.runs.filter(({ event }) => event === cronEvent);
  expect(run?.operations.map(({ displayName }) => displayName)).toEqual([
    ...Object.keys(recurringJobs),
    "wake-overdue-deliveries",
  ]);
  expect(run?.state).toBe("completed");
});

test("a run of the recurring jobs that failed for good is logged with their names, and the others were done", async () => {
  const logged = vi.spyOn(log, "error").mockImplementation(() => undefined);
  await db().$executeRaw`ALTER TABLE alerts RENAME TO alerts_elsewhere`;
  try {
    await clock.settle();
    // Until its last repetition.
    await clock.advance(300);
  } finally {
    await db().$executeRaw`ALTER TABLE alerts_elsewhere RENAME TO alerts`;
  }
  const [run] = inngest.runs.filter(({ event }) => event === cronEvent);
  expect(run?.state).toBe("failed");
  const failed = run?.operations.filter(({ error }) => error);
  expect(failed?.map(({ displayName }) => displayName)).toEqual(["send-alerts"]);
  expect(run?.operations).toHaveLength(Object.keys(recurringJobs).length + 1);
  expect(logged.mock.calls).toContainEqual([
    expect.objectContaining({
      function: "parlance-run-recurring-jobs",
      error: "these jobs failed: send-alerts",
    }),
    "a run of Inngest failed",
  ]);
});

test("200 from /ready names the clock, and doctor says whether Inngest responds and where it calls", async () => {
  expect((await probes["/ready"]()).body).toMatchObject({ clock: "inngest" });
  const clockLine = async (environment: Record<string, string> = {}) =>
    (await runAdmin(["doctor"], environment)).output.match(/job clock.*/)?.[0];
  expect(await clockLine()).toContain(
    `Inngest at ${inngest.server.url} responds, and must be able to call http://localhost:3000/api/inngest`,
  );
  expect(await clockLine({ INNGEST_BASE_URL: "http://127.0.0.1:9" })).toContain(
    "Inngest at http://127.0.0.1:9 does not respond",
  );
  expect(await clockLine({ INNGEST_SIGNING_KEY: "0123456789abcdef" })).toContain("responds");
  expect(await clockLine({ INNGEST_SIGNING_KEY: "not a key" })).toContain(
    "INNGEST_SIGNING_KEY is neither",
  );
  expect(await clockLine({ JOBS: "embedded" })).toContain("embedded, in the worker");
});

test("401 for unsigned, stale and altered requests and for those signed with another key, which run nothing; 206 for signed ones", async () => {
  const body = await callForDelivery();
  const otherKey = `signkey-test-${"f".repeat(64)}`;
  const unsigned = signedRequest(url, body, { signingKey });
  unsigned.headers.delete("x-inngest-signature");
  const altered = new Request(url, {
    method: "POST",
    headers: signedRequest(url, body, { signingKey }).headers,
    body: JSON.stringify({ ...body, steps: { a: 1 } }),
  });
  const refused = [
    unsigned,
    signedRequest(url, body, { signingKey: otherKey }),
    signedRequest(url, body, { signingKey, at: new Date(Date.now() - 301_000) }),
    signedRequest(url, body, { signingKey, at: new Date(Date.now() + 3_600_000) }),
    altered as typeof unsigned,
  ];
  for (const request of refused) expect((await POST(request)).status).toBe(401);
  expect(
    (await GET(new Request(url, { headers: { host: "app.test" } }) as typeof unsigned)).status,
  ).toBe(401);
  expect(receiver.requests).toHaveLength(0);

  expect(
    (await POST(signedRequest(url, body, { signingKey, at: new Date(Date.now() - 200_000) })))
      .status,
  ).toBe(206);
  expect(receiver.requests).toHaveLength(1);
});

test("an unsigned registration request registers the app's own address, whatever host it names", async () => {
  const request = new Request("http://evil.test/api/inngest", {
    method: "PUT",
    headers: { host: "evil.test" },
  });
  expect((await PUT(request as Parameters<typeof PUT>[0])).status).toBe(200);
  const registration = JSON.parse(inngest.server.requests.at(-1)?.body ?? "");
  expect(registration.url).toBe("http://localhost:3000/api/inngest");
  expect(JSON.stringify(registration)).not.toContain("evil.test");
});

test("each attempt is a run, and another sleeps until the next", async () => {
  receiver.respondWith(500);
  const { delivery } = await newDelivery(receiver.url);
  await clock.advance(200_000);
  const sent = runsOf(delivery.id);
  expect(sent.map(({ state }) => state)).toEqual(Array(8).fill("completed"));
  const waits = runsOf(delivery.id, "wait-for-next-attempt");
  expect(waits.map(({ state }) => state)).toEqual(Array(7).fill("completed"));
  expect(waits[0]?.operations.map(({ op }) => op)).toEqual(["Sleep", "StepRun"]);
});

test("a run that wakes before the database's clock is there sleeps once more until the same time", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  await clock.settle();
  const { nextAttemptAt } = await findDelivery(webhook.partition, delivery.id);
  const [sleeping] = runsOf(delivery.id, "wait-for-next-attempt");
  if (!nextAttemptAt || !sleeping) throw new Error("no further attempt is planned");
  inngest.wakeEarly(sleeping);
  await clock.settle();
  expect(runsOf(delivery.id, "wait-for-next-attempt")).toMatchObject([
    { state: "completed" },
    { state: "running", event: { data: { until: nextAttemptAt.toISOString() } } },
  ]);
  expect(receiver.requests).toHaveLength(1);

  await clock.advanceTo(nextAttemptAt);
  expect(receiver.requests).toHaveLength(2);
});

test("a run that sleeps ends once its webhook is deleted", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  const other = await newDelivery(receiver.url);
  await clock.settle();
  const stateOf = ({ id }: { id: string }) => runsOf(id, "wait-for-next-attempt")[0]?.state;
  expect([delivery, other.delivery].map(stateOf)).toEqual(["running", "running"]);

  await mutate(system(webhook.partition), (caller) => deleteWebhook(caller, webhook.id));
  await clock.settle();
  await clock.settle();
  expect([delivery, other.delivery].map(stateOf)).toEqual(["canceled", "running"]);
});

test("a failed run is logged without what it was about", async () => {
  const name = "parlance-send-deliveries";
  const failed = {
    name: "inngest/function.failed",
    data: {
      ...{ function_id: name, run_id: "run_1", event: { name: "deliveries/due", data: {} } },
      error: { name: "Error", message: "the database is away", stack: "" },
    },
  };
  const request = signedRequest(
    `http://app.test/api/inngest?fnId=${name}-failure&stepId=step`,
    callBody([failed as never]),
    { signingKey },
  );
  expect((await POST(request)).status).toBe(200);
});

test("a step whose response was lost runs again, and a run repeated from its start sends nothing again", async () => {
  const { delivery } = await newDelivery(receiver.url);
  await clock.settle();
  const [run] = runsOf(delivery.id);
  if (!run) throw new Error("there was no run");
  inngest.repeat(run);
  await clock.settle();
  expect(runsOf(delivery.id)).toMatchObject([
    { state: "completed" },
    { state: "completed", result: { deliveries: 1 } },
  ]);
  expect(receiver.requests).toHaveLength(1);
});

test("events are sent after the commit, and contain only ids", async () => {
  const webhook = await newWebhook(receiver.url);
  const failed = mutate(system(webhook.partition), async (caller) => {
    await recordEvent(caller, "message.received", { id: "msg_1" }, { conversation: null });
    throw new Error("rolled back");
  });
  await expect(failed).rejects.toThrow("rolled back");
  await clock.settle();
  expect(inngest.events).toEqual([]);

  const [delivery] = await raiseEvent(webhook.partition);
  await clock.settle();
  await mutate(system(webhook.partition), (caller) =>
    resendDelivery(caller, webhook.id, delivery?.id ?? ""),
  );
  await mutate(system(webhook.partition), (caller) => sendTestEvent(caller, webhook.id));
  const document = await newDocument(webhook.partition, "Text that is nobody's business");
  await clock.settle();

  const names = new Set(inngest.events.map(({ name }) => name));
  expect(names).toEqual(new Set(["deliveries/due", "document/due"]));
  for (const { data } of inngest.events) {
    const { tenantId, environment, deliveryIds, webhookId, documentId, ...others } = data;
    expect(others).toEqual(documentId ? {} : { isAlone: expect.any(Boolean), wakeUps: 0 });
    expect({ tenantId, environment }).toEqual(webhook.partition);
    if (documentId) expect(documentId).toBe(document.id);
    else expect(webhookId).toBe(webhook.id);
    for (const id of deliveryIds ?? []) expect(id).toMatch(/^dlv_/);
  }
  for (const { path, body } of inngest.server.requests) {
    if (!path.startsWith("/fn/")) expect(path).toBe(`/e/${eventKey}`);
    for (const secret of [webhook.secret, receiver.url, "Grüße", "nobody's business"])
      expect(body).not.toContain(secret);
  }
});

test("Inngest gets a new event id each time a delivery is to be sent again", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  await clock.settle();
  for (let round = 0; round < 2; round++) {
    await clock.advance(1);
    await mutate(system(webhook.partition), (caller) =>
      resendDelivery(caller, webhook.id, delivery.id),
    );
    await clock.settle();
    await mutate(system(webhook.partition), (caller) =>
      updateWebhook(caller, webhook.id, { status: "DISABLED" }),
    );
    await clock.advance(1);
    await mutate(system(webhook.partition), (caller) =>
      enableWebhook(caller, webhook.id, { held: "RESUME" }),
    );
    await clock.settle();
  }
  const ids = eventsOf(delivery.id).map(({ id }) => id);
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
});

test("events that a disabled webhook does not get do not reach Inngest either", async () => {
  const webhook = await newWebhook(receiver.url);
  await mutate(system(webhook.partition), (caller) =>
    updateWebhook(caller, webhook.id, { status: "DISABLED" }),
  );
  await raiseEvent(webhook.partition);
  await clock.settle();
  expect(inngest.events).toEqual([]);
});

test("thousands of deliveries reach Inngest in few requests and few runs, and a webhook has at most ten in progress", async () => {
  const webhook = await newWebhook(receiver.url);
  // The first after a pause does not wait for others, so it has a run of its own.
  await raiseEvent(webhook.partition);
  await expect.poll(() => inngest.events.length).toBe(1);
  await clock.settle();
  // Ten requests wait for each other. With more or fewer at a time, some would never be released,
  // because the next calls are made only when all are finished.
  const waiting: ServerResponse[] = [];
  let most = 0;
  receiver.respond = (response) => {
    most = Math.max(most, waiting.push(response));
    if (waiting.length === 10) for (const each of waiting.splice(0)) each.end("ok");
  };
  for (const delivery of await raiseBacklog(webhook.partition, webhook.id, 1_200, new Date()))
    wakeDeliveries([delivery]);
  const announced = () =>
    inngest.events.reduce((sum, { data }) => sum + (data.deliveryIds?.length ?? 0), 0);
  await expect.poll(announced).toBe(1_201);
  expect(inngest.server.requests.filter(({ path }) => path.startsWith("/e/")).length).toBeLessThan(
    10,
  );
  const running = inngest.runs.filter(({ state }) => state === "running");
  expect(running.length).toBeLessThanOrEqual(3);
  await clock.settle();
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 1_201 });
  expect(most).toBe(10);
});

test.each(["hangs", "responds with 500"])(
  "sending ends soon where Inngest %s, and the events queued with it are dropped",
  async (what) => {
    const webhook = await newWebhook(receiver.url);
    const deliveries = await raiseBacklog(webhook.partition, webhook.id, 50, new Date());
    inngest.server.respond =
      what === "hangs" ? () => {} : (response) => void response.writeHead(500).end();
    const [first, ...others] = await Promise.allSettled(
      deliveries.map((delivery) => inngestJobClock.wake([delivery])),
    );
    expect(first?.status).toBe("rejected");
    expect(others.every(({ status }) => status === "fulfilled")).toBe(true);
    expect(
      inngest.server.requests.filter(({ path }) => path.startsWith("/e/")).length,
    ).toBeLessThanOrEqual(5);
  },
);
