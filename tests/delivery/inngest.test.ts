import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GET, POST, PUT } from "@/app/api/inngest/route";
import { inngestJobClock } from "@/inngest/inngest-clock";
import { enableWebhook, resendDelivery, sendTestEvent } from "@/lib/deliveries/service";
import { recordEvent } from "@/lib/events/record-event";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import { probes } from "@/lib/readiness/service";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { updateWebhook } from "@/lib/webhooks/service";
import { runAdmin } from "../support/admin";
import { clocks, eventKey, inngest, signingKey, type TestClock } from "../support/clocks";
import { callBody, cronEvent, signedRequest } from "../support/inngest-server";
import { type Receiver, startReceiver } from "../support/receiver";
import { newDocument } from "../support/stored-document";
import {
  attemptsOf,
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

const runsOf = (deliveryId: string) =>
  inngest.runs.filter(({ event }) => event.data.deliveryId === deliveryId);
const url = "http://app.test/api/inngest?fnId=parlance-deliver-webhook&stepId=step";

async function callForDelivery() {
  const { webhook, delivery } = await newDelivery(receiver.url);
  const data = { ...webhook.partition, deliveryId: delivery.id, webhookId: webhook.id };
  return callBody({ name: "delivery/due", data });
}

test("every recurring job has its function, and each function its limits", () => {
  const limits = Object.fromEntries(
    inngest.functions.map(({ id, concurrency }) => [id.replace("parlance-", ""), concurrency]),
  );
  expect(limits).toEqual({
    "deliver-webhook": { key: "event.data.webhookId", limit: 10 },
    "process-document": { key: "event.data.tenantId", limit: 2 },
    ...Object.fromEntries(Object.keys(recurringJobs).map((name) => [name, 1])),
  });
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

test("a delivery is one run: each attempt is a step, and the run sleeps between them", async () => {
  receiver.respondWith(500);
  const { delivery } = await newDelivery(receiver.url);
  await clock.advance(200_000);
  expect(runsOf(delivery.id)).toMatchObject([
    { state: "completed", result: { state: "failed", retryAt: null } },
  ]);
  expect(
    runsOf(delivery.id)[0]
      ?.operations.map(({ op }) => op)
      .join(),
  ).toBe(`StepRun${",Sleep,StepRun".repeat(7)}`);
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
    { state: "completed", result: { state: "delivered", retryAt: null } },
  ]);
  expect(receiver.requests).toHaveLength(1);
});

test("events are sent after the commit, and contain only ids", async () => {
  const webhook = await newWebhook(receiver.url);
  const failed = mutate(system(webhook.partition), async (caller) => {
    await recordEvent(caller, "message.received", { id: "msg_1" });
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
  expect(names).toEqual(new Set(["delivery/due", "document/due"]));
  for (const { data, id = "" } of inngest.events) {
    const { tenantId, environment, deliveryId, webhookId, documentId, ...others } = data;
    expect(others).toEqual({});
    expect({ tenantId, environment }).toEqual(webhook.partition);
    if (documentId) expect(documentId).toBe(document.id);
    else expect([webhookId, id.split(":")[0]]).toEqual([webhook.id, deliveryId]);
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
  const ids = inngest.events
    .filter(({ data }) => data.deliveryId === delivery.id)
    .map(({ id }) => id);
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
  expect(runsOf(delivery.id)).toHaveLength(5);
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

test("thousands of deliveries reach Inngest in few requests, and a webhook has at most ten in progress", async () => {
  const webhook = await newWebhook(receiver.url);
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
  await expect.poll(() => inngest.events.length).toBe(1_200);
  expect(inngest.server.requests.filter(({ path }) => path.startsWith("/e/")).length).toBeLessThan(
    10,
  );
  inngest.runs.length = 60;
  await clock.settle();
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({
    DELIVERED: 60,
    PENDING: 1_140,
  });
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

test("the worker takes over what Inngest never received after two minutes, attempt by attempt", async () => {
  receiver.respondWith(500);
  inngest.server.respond = (response) => void response.writeHead(503).end();
  const { webhook, delivery } = await newDelivery(receiver.url);
  await clock.settle();
  inngest.server.respond = respond;

  for (let attempt = 1; attempt <= 3; attempt++) {
    const { nextAttemptAt } = await findDelivery(webhook.partition, delivery.id);
    if (!nextAttemptAt) throw new Error("no further attempt is planned");
    await clock.advanceTo(new Date(nextAttemptAt.getTime() + 119_900));
    await clock.settleWorker();
    expect(receiver.requests).toHaveLength(attempt - 1);
    await clock.advance(0.2);
    await clock.settleWorker();
    expect(receiver.requests).toHaveLength(attempt);
  }
  expect(runsOf(delivery.id)).toEqual([]);
});

test("the worker completes a run that Inngest loses halfway, and a document that it never received", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  await clock.settle();
  expect(receiver.requests).toHaveLength(1);
  inngest.forget();
  inngest.server.respond = (response) => void response.writeHead(503).end();
  const document = await newDocument(webhook.partition, "Text");
  await clock.settle();
  inngest.server.respond = respond;
  receiver.respondWith(200);

  await clock.advance(160);
  expect(inngest.runs.filter(({ event }) => event !== cronEvent)).toEqual([]);
  await clock.settleWorker();
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
    { statusCode: 500 },
    { statusCode: 200 },
  ]);
  expect(await db().document.findFirst({ where: { id: document.id } })).toMatchObject({
    status: "READY",
  });
});

test("the clock can be changed while deliveries wait: nothing is lost, and nothing sent twice", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  const numbers = async () =>
    (await attemptsOf(webhook.partition, delivery.id)).map(({ number }) => number);
  const change = async (index: 0 | 1) => {
    clock = await clocks[index].start(clock.now());
  };
  // Started by Inngest, whose run sleeps until the second attempt and then finds that it was made.
  await clock.settle();
  await change(0);
  await clock.advance(180);
  expect(await numbers()).toEqual([1, 2, 3]);

  // Inngest knows only the old run, which continues; new deliveries arrive by their events.
  await change(1);
  const [second] = await raiseEvent(webhook.partition);
  await clock.advance(200_000);
  await clock.settleWorker();
  await change(0);
  await clock.advance(200_000);
  expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(
    (await attemptsOf(webhook.partition, second?.id ?? "")).map(({ number }) => number),
  ).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(receiver.requests).toHaveLength(16);
  expect(
    new Set(
      receiver.requests.map(
        ({ headers }) => `${headers["x-service-delivery-id"]} ${headers["x-service-attempt"]}`,
      ),
    ).size,
  ).toBe(16);
});

test("deliveries pending when Inngest takes over, and when it is switched off, are sent once", async () => {
  await clock.close();
  clock = await clocks[0].start();
  receiver.respondWith(500);
  const webhook = await newWebhook(receiver.url);
  for (let index = 0; index < 5; index++) await raiseEvent(webhook.partition);
  await clock.settle();
  receiver.respondWith(200);

  // Inngest never receives these: the worker next to it sends them, two minutes late.
  clock = await clocks[1].start(clock.now());
  for (let index = 0; index < 5; index++) await raiseEvent(webhook.partition);
  await clock.advance(100);
  await clock.settleWorker();
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: 5, DELIVERED: 5 });
  await clock.advance(60);
  await clock.settleWorker();
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 10 });

  receiver.respondWith(500);
  for (let index = 0; index < 5; index++) await raiseEvent(webhook.partition);
  await clock.settle();
  receiver.respondWith(200);
  clock = await clocks[0].start(clock.now());
  await clock.advance(34);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 15 });
  // Ten of them took two attempts.
  expect(receiver.requests).toHaveLength(25);
});
