import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { countHeld, discardHeld, enableWebhook } from "@/lib/deliveries/service";
import { eventTypes } from "@/lib/events/event-types";
import { mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { openSecret, webhookSecretContext } from "@/lib/platform/secret-box";
import { dropOldSecret } from "@/lib/webhooks/rotate-secret";
import { verifyWebhook } from "@/sdk/src/webhooks";
import {
  call,
  newKey,
  newTenant,
  patiently,
  type Reply,
  type TestTenant,
  withoutIds,
} from "../support/api";
import { type Receiver, startReceiver } from "../support/receiver";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const respondWith = (status: number, body = "") => {
  receiver.respond = (response) => void response.writeHead(status).end(body);
};

async function newWebhook(tenant: TestTenant, events = ["*"]) {
  const { body } = await call(tenant, "POST", "/webhooks", { url: `${receiver.url}/hook`, events });
  return { id: body.id as string, secret: body.secret as string, path: `/webhooks/${body.id}` };
}

const partitionOf = ({ tenantId, environment }: TestTenant) => ({ tenantId, environment });
const attempt = (tenant: TestTenant, id: string) => attemptDelivery({ ...partitionOf(tenant), id });
const newConversation = (tenant: TestTenant) =>
  call(tenant, "POST", "/conversations", { channelId: "web" });

/** A webhook with one delivery, not yet attempted. */
async function newDelivery(tenant: TestTenant) {
  const webhook = await newWebhook(tenant);
  await newConversation(tenant);
  const [delivery] = (await call(tenant, "GET", `${webhook.path}/deliveries`)).body.data;
  return { webhook, delivery, path: `${webhook.path}/deliveries/${delivery.id}` };
}

/** As if all attempts had failed. */
const fail = (tenant: TestTenant, where: object) =>
  db().delivery.updateMany({
    where: { ...partitionOf(tenant), ...where },
    data: { status: "FAILED", automaticCount: 8, attemptCount: 8, nextAttemptAt: null },
  });

const kindOf = ({ body }: Reply) => body.type.split("/").at(-1);
const auditActions = async ({ tenantId }: TestTenant) =>
  (await db().auditEntry.findMany({ where: { tenantId }, orderBy: { sequence: "asc" } })).map(
    ({ action }) => action,
  );

test("200 and 202 without a body, also if the headers announce JSON", async () => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant);
  const headers = { "content-type": "application/json" };
  expect((await call(tenant, "POST", `${path}/rotate-secret`, "", headers)).status).toBe(200);
  expect((await call(tenant, "POST", `${path}/test`, "", headers)).status).toBe(202);
  expect((await call(tenant, "POST", `${path}/test`, " ", headers)).status).toBe(400);
});

test("200 for a rotation without a body: a new secret, shown once, and 24 hours for the old one", async () => {
  const tenant = await newTenant();
  const { id, secret, path } = await newWebhook(tenant);

  const before = Date.now();
  const rotated = await call(tenant, "POST", `${path}/rotate-secret`);

  expect(rotated.status).toBe(200);
  const { secret: newSecret, ...webhook } = rotated.body;
  expect(newSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret).not.toBe(secret);
  expect(webhook.secretHint).toBe(`whsec_…${newSecret.slice(-4)}`);
  const expiresAtMs = Date.parse(webhook.previousSecretExpiresAt);
  expect(expiresAtMs).toBeGreaterThanOrEqual(before + 86_400_000);
  expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + 86_400_000);
  expect((await call(tenant, "GET", path)).body).toEqual(webhook);
  expect(await auditActions(tenant)).toEqual([
    "api_key.created",
    "webhook.created",
    "webhook.secret_rotated",
  ]);
  const stored = await db().webhookSecret.findMany({
    where: { webhookId: id },
    orderBy: { version: "asc" },
  });
  const context = webhookSecretContext(partitionOf(tenant), id);
  expect(stored.map(({ ciphertext }) => openSecret(ciphertext, context))).toEqual([
    secret,
    newSecret,
  ]);
});

test("409 rotation-in-progress within the overlap, and overlapSeconds 0 ends every older secret immediately", async () => {
  const tenant = await newTenant();
  const { id, path } = await newWebhook(tenant);
  expect((await call(tenant, "POST", `${path}/rotate-secret`, { overlapSeconds: 60 })).status).toBe(
    200,
  );

  const again = await call(tenant, "POST", `${path}/rotate-secret`, { overlapSeconds: 1 });
  const forced = await call(tenant, "POST", `${path}/rotate-secret`, { overlapSeconds: 0 });
  const next = await call(tenant, "POST", `${path}/rotate-secret`);

  expect([again.status, kindOf(again)]).toEqual([409, "rotation-in-progress"]);
  expect(forced).toMatchObject({ status: 200, body: { previousSecretExpiresAt: null } });
  expect(next.status).toBe(200);
  expect(
    await db().webhookSecret.findMany({
      where: { webhookId: id },
      select: { version: true },
      orderBy: { version: "asc" },
    }),
  ).toEqual([{ version: 3 }, { version: 4 }]);
});

test("a rotation is replayed with its secret, which is stored encrypted, and ten concurrent requests rotate once", async () => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant);
  const key = { "idempotency-key": "rotate-1" };
  const request = () => call(tenant, "POST", `${path}/rotate-secret`, undefined, key);
  const replies = await Promise.all(Array.from({ length: 10 }, () => patiently(request)));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  const record = await db().idempotencyRecord.findFirstOrThrow({
    where: { ...partitionOf(tenant), key: "rotate-1" },
  });
  expect(record).toMatchObject({ status: 200, isEncrypted: true });
  expect(record.body).not.toContain("whsec_");
  const audit = await db().auditEntry.findMany({ where: { tenantId: tenant.tenantId } });
  expect(JSON.stringify(audit)).not.toContain(replies[0]?.body.secret);
});

test.each([
  [{ overlapSeconds: -1 }, "/overlapSeconds"],
  [{ overlapSeconds: 86_401 }, "/overlapSeconds"],
  [{ overlapSeconds: 1.5 }, "/overlapSeconds"],
  [{ overlapSeconds: "60" }, "/overlapSeconds"],
  [{ secret: "whsec_mine" }, "/secret"],
])("422 for a rotation with %j", async (body, pointer) => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant);
  expect(await call(tenant, "POST", `${path}/rotate-secret`, body)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer }] },
  });
});

test("an optional body is still validated strictly when it is sent", async () => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant);
  const json = { "content-type": "application/json" };
  expect((await call(tenant, "POST", `${path}/rotate-secret`, "{", json)).status).toBe(400);
  expect(
    (await call(tenant, "POST", `${path}/rotate-secret`, "{}", { "content-type": "text/plain" }))
      .status,
  ).toBe(415);
  expect((await call(tenant, "POST", `${path}/rotate-secret`, "[]", json)).status).toBe(422);
  expect((await call(tenant, "POST", `${path}/recover`)).status).toBe(415);
});

test("dropping the old secret by hand ends the overlap", async () => {
  const tenant = await newTenant();
  const { id, path } = await newWebhook(tenant);
  const { body: rotated } = await call(tenant, "POST", `${path}/rotate-secret`);

  const dropped = await mutate(tenant.identity, (caller) => dropOldSecret(caller, id));
  const again = await mutate(tenant.identity, (caller) => dropOldSecret(caller, id));

  expect(dropped).toMatchObject({ previousSecretExpiresAt: null, secretHint: rotated.secretHint });
  expect(again).toEqual(dropped);
  expect(await db().webhookSecret.count({ where: { webhookId: id } })).toBe(1);
  expect(
    (await auditActions(tenant)).filter((action) => action === "webhook.old_secret_dropped"),
  ).toHaveLength(1);
});

test("202 for a test: one event for this webhook alone, sent once, and its failure is not counted", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant, ["customer.created"]);
  const other = await newWebhook(tenant, ["*"]);
  respondWith(500, "broken");

  const test = await call(tenant, "POST", `${webhook.path}/test`);

  expect(test).toMatchObject({
    status: 202,
    body: {
      id: expect.stringMatching(/^dlv_/),
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_/),
      eventType: "webhook.test",
      status: "PENDING",
      attemptCount: 0,
      nextAttemptAt: expect.any(String),
    },
  });
  expect(await attempt(tenant, test.body.id)).toEqual({ state: "failed", retryAt: null });
  expect(await attempt(tenant, test.body.id)).toEqual({ state: "failed", retryAt: null });
  expect(receiver.requests).toHaveLength(1);
  expect(
    (await call(tenant, "GET", `${webhook.path}/deliveries/${test.body.id}`)).body,
  ).toMatchObject({
    status: "FAILED",
    attemptCount: 1,
    nextAttemptAt: null,
    attempts: [
      { number: 1, trigger: "TEST", statusCode: 500, errorCode: null, response: "broken" },
    ],
  });
  expect((await call(tenant, "GET", webhook.path)).body).toMatchObject({
    consecutiveFailures: 0,
    lastFailureAt: null,
  });
  expect((await call(tenant, "GET", `${other.path}/deliveries`)).body.data).toEqual([]);
  const event = (await call(tenant, "GET", `/events/${test.body.eventId}`)).body;
  expect(event).toMatchObject({
    type: "webhook.test",
    data: { object: { id: webhook.id } },
    request: { id: expect.any(String) },
  });
  expect(JSON.parse(receiver.requests[0]?.body ?? "")).toEqual(event);
});

test("a failed attempt has the headers of its response, few and without credentials, and a success has none", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`x-more-${index}`, "v".repeat(90)]),
  );
  receiver.respondWith(503, {
    "Content-Type": "application/json",
    "Retry-After": "120",
    "X-Request-Id": "req-1",
    "Set-Cookie": "session=very-secret",
    "X-Api-Key": "very-secret",
    Location: "https://user:very-secret@example.com/next?code=very-secret",
    "X-Long": "l".repeat(900),
    ...many,
  });
  const test = await call(tenant, "POST", `${webhook.path}/test`);
  await attempt(tenant, test.body.id);
  const read = async () =>
    (await call(tenant, "GET", `${webhook.path}/deliveries/${test.body.id}`)).body.attempts;
  const [failed] = await read();
  expect(failed.responseHeaders).toMatchObject({
    "content-type": "application/json",
    "retry-after": "120",
    "x-request-id": "req-1",
    "set-cookie": "[redacted]",
    "x-api-key": "[redacted]",
    location: "https://[redacted]@example.com/next?[redacted]",
    "x-long": `${"l".repeat(500)}…`,
  });
  const pairs = Object.entries(failed.responseHeaders);
  expect(pairs.length).toBeLessThanOrEqual(20);
  expect(pairs.flat().join("").length).toBeLessThanOrEqual(2_000);
  expect(JSON.stringify(failed)).not.toContain("very-secret");

  receiver.respondWith(200, { "X-Request-Id": "req-2" });
  await call(tenant, "POST", `${webhook.path}/deliveries/${test.body.id}/resend`);
  await attempt(tenant, test.body.id);
  expect(await read()).toMatchObject([
    { statusCode: 503 },
    { statusCode: 200, responseHeaders: null },
  ]);
});

test("202 for a test of another type: its example is sent under the id of the test, and the feed lists a test", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant, ["customer.created"]);
  const { data } = (await call(tenant, "GET", "/event-types")).body;
  for (const type of ["message.received", "webhook.disabled"]) {
    const test = await call(tenant, "POST", `${webhook.path}/test`, { type });
    expect(test).toMatchObject({ status: 202, body: { eventType: "webhook.test" } });
    const { id, eventId } = test.body;
    expect(await attempt(tenant, id)).toMatchObject({ state: "delivered" });
    await call(tenant, "POST", `${webhook.path}/deliveries/${id}/resend`);
    await attempt(tenant, id);

    const [first, second] = receiver.requests.slice(-2);
    const sent = JSON.parse(first?.body ?? "");
    const { example } = data.find((known: { type: string }) => known.type === type);
    expect(sent).toEqual({
      ...example,
      id: eventId,
      timestamp: expect.any(String),
      request: { id: test.headers.get("x-request-id"), idempotencyKey: null },
    });
    expect(first?.headers).toMatchObject({
      "x-service-event-type": type,
      "x-service-event-id": eventId,
    });
    expect(
      await verifyWebhook({
        payload: first?.body ?? "",
        header: first?.headers ?? {},
        secret: webhook.secret,
      }),
    ).toMatchObject({ type });
    expect(second?.body).toBe(first?.body);
    const listed = (await call(tenant, "GET", `/events/${eventId}`)).body;
    expect(listed).toMatchObject({ type: "webhook.test", data: { example: sent } });
    expect((await call(tenant, "GET", `/events?type=${type}`)).body.data).toEqual([]);
  }
  const plain = await call(tenant, "POST", `${webhook.path}/test`, { type: "webhook.test" });
  const event = (await call(tenant, "GET", `/events/${plain.body.eventId}`)).body;
  expect(event.data).toEqual({ object: expect.objectContaining({ id: webhook.id }) });
});

test("422 for a test of an unknown type", async () => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant);
  for (const type of ["message.*", "nonsense", 1]) {
    const { status, body } = await call(tenant, "POST", `${path}/test`, { type });
    expect([status, body.errors[0].pointer]).toEqual([422, "/type"]);
  }
});

test("202 for a test of a disabled webhook, which is still sent", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
  const { body } = await call(tenant, "POST", `${webhook.path}/test`);
  expect(await attempt(tenant, body.id)).toEqual({ state: "delivered", retryAt: null });
  expect(receiver.requests).toHaveLength(1);
  expect((await call(tenant, "GET", webhook.path)).body.status).toBe("DISABLED");
});

test("409 limit-reached for a test or a resend while a hundred wait", async () => {
  const tenant = await newTenant();
  const { webhook, path } = await newDelivery(tenant);
  await fail(tenant, { webhookId: webhook.id });
  for (let index = 0; index < 100; index++)
    expect((await call(tenant, "POST", `${webhook.path}/test`)).status).toBe(202);
  const [test, resend] = [
    await call(tenant, "POST", `${webhook.path}/test`),
    await call(tenant, "POST", `${path}/resend`),
  ];
  expect([test.status, kindOf(test), resend.status, kindOf(resend)]).toEqual([
    409,
    "limit-reached",
    409,
    "limit-reached",
  ]);
});

test("200 lists deliveries newest first, filtered by status and type, page by page", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  for (let index = 0; index < 8; index++) await newConversation(tenant);
  await call(tenant, "POST", "/customers", { name: "Ada" });
  const all = (await call(tenant, "GET", `${webhook.path}/deliveries`)).body.data;
  expect(all).toHaveLength(9);
  expect(all.map(({ id }: { id: string }) => id)).toEqual(
    all
      .map(({ id }: { id: string }) => id)
      .toSorted()
      .reverse(),
  );
  expect(all[0]).toEqual({
    id: expect.stringMatching(/^dlv_/),
    webhookId: webhook.id,
    eventId: expect.stringMatching(/^evt_/),
    eventType: "customer.created",
    status: "PENDING",
    attemptCount: 0,
    nextAttemptAt: expect.any(String),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  await attempt(tenant, all[1].id);
  await fail(tenant, { id: all[2].id });

  const list = async (query: string) =>
    (await call(tenant, "GET", `${webhook.path}/deliveries?${query}`)).body;
  expect((await list("eventType=customer.created")).data).toEqual([all[0]]);
  expect((await list("status=DELIVERED")).data).toMatchObject([
    { id: all[1].id, attemptCount: 1, nextAttemptAt: null },
  ]);
  expect((await list("status=FAILED,DELIVERED&order=asc")).data).toMatchObject([
    { id: all[2].id },
    { id: all[1].id },
  ]);
  expect((await list("status=FAILED&eventType=customer.created")).data).toEqual([]);

  const paged: string[] = [];
  let page = await list("limit=3");
  for (; ; page = await list(`limit=3&cursor=${page.nextCursor}`)) {
    paged.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.nextCursor) break;
  }
  expect(paged).toEqual(all.map(({ id }: { id: string }) => id));
  expect(page.data).toHaveLength(3);
});

test.each([
  "status=nonsense",
  "status=",
  "eventType=nonsense",
  "cursor=whk_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  "limit=0",
  "foo=1",
])("422 for a list of deliveries with %s", async (query) => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  expect((await call(tenant, "GET", `${webhook.path}/deliveries?${query}`)).status).toBe(422);
});

test("200 shows a delivery with its attempts; one without a response has a generic reason", async () => {
  const tenant = await newTenant();
  const { delivery, path } = await newDelivery(tenant);
  respondWith(500, "no\0pe");
  await attempt(tenant, delivery.id);
  await db().delivery.updateMany({
    where: { id: delivery.id },
    data: { nextAttemptAt: new Date(0) },
  });
  receiver.respond = (response) => response.destroy();
  await attempt(tenant, delivery.id);

  const shown = await call(tenant, "GET", path);
  const times = { startedAt: expect.stringMatching(/Z$/), durationMs: expect.any(Number) };
  expect(shown.status).toBe(200);
  expect(shown.body).toMatchObject({ id: delivery.id, status: "PENDING", attemptCount: 2 });
  const waitMs =
    Date.parse(shown.body.nextAttemptAt) - Date.parse(shown.body.attempts[1].startedAt);
  expect(waitMs).toBeGreaterThan(100_000);
  expect(shown.body.attempts).toEqual([
    {
      number: 1,
      trigger: "AUTOMATIC",
      ...times,
      statusCode: 500,
      errorCode: null,
      response: "nope",
      responseHeaders: expect.objectContaining({ date: expect.any(String) }),
      reply: null,
    },
    {
      number: 2,
      trigger: "AUTOMATIC",
      ...times,
      statusCode: null,
      errorCode: "connection_reset",
      response: null,
      responseHeaders: null,
      reply: null,
    },
  ]);
});

test("202 for a resend: the same event, freshly signed; a failure changes nothing", async () => {
  const tenant = await newTenant();
  const { webhook, delivery, path } = await newDelivery(tenant);
  await attempt(tenant, delivery.id);
  respondWith(500);

  const resent = await call(tenant, "POST", `${path}/resend`);
  expect(resent).toMatchObject({
    status: 202,
    body: { id: delivery.id, status: "DELIVERED", nextAttemptAt: expect.any(String) },
  });
  expect(await attempt(tenant, delivery.id)).toEqual({ state: "delivered", retryAt: null });

  const [first, second] = receiver.requests;
  expect(receiver.requests).toHaveLength(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers["x-service-event-id"]).toBe(first?.headers["x-service-event-id"]);
  expect(second?.headers["x-service-attempt"]).toBe("2");
  expect((await call(tenant, "GET", path)).body).toMatchObject({
    status: "DELIVERED",
    attemptCount: 2,
    nextAttemptAt: null,
    attempts: [{ trigger: "AUTOMATIC" }, { trigger: "MANUAL", statusCode: 500 }],
  });
  expect((await call(tenant, "GET", webhook.path)).body).toMatchObject({ consecutiveFailures: 0 });
});

test("a successful resend ends pending retries, a failed one leaves them unchanged", async () => {
  const tenant = await newTenant();
  const { webhook, delivery, path } = await newDelivery(tenant);
  respondWith(500);
  await attempt(tenant, delivery.id);
  const { nextAttemptAt } = (await call(tenant, "GET", path)).body;

  await call(tenant, "POST", `${path}/resend`);
  await attempt(tenant, delivery.id);
  expect((await call(tenant, "GET", path)).body).toMatchObject({
    status: "PENDING",
    attemptCount: 2,
    nextAttemptAt,
  });
  expect((await call(tenant, "GET", webhook.path)).body.consecutiveFailures).toBe(1);

  respondWith(200);
  await call(tenant, "POST", `${path}/resend`);
  await attempt(tenant, delivery.id);
  expect((await call(tenant, "GET", path)).body).toMatchObject({
    status: "DELIVERED",
    attemptCount: 3,
    nextAttemptAt: null,
  });
  expect((await call(tenant, "GET", webhook.path)).body.consecutiveFailures).toBe(0);
  expect(await attempt(tenant, delivery.id)).toEqual({ state: "delivered", retryAt: null });
  expect(receiver.requests).toHaveLength(3);
});

test("409 for a resend while an attempt is in progress or about to be made", async () => {
  const tenant = await newTenant();
  const { delivery, path } = await newDelivery(tenant);
  const neverTried = await call(tenant, "POST", `${path}/resend`);
  await fail(tenant, { id: delivery.id });
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => call(tenant, "POST", `${path}/resend`)),
  );

  expect([neverTried.status, kindOf(neverTried), neverTried.body.from]).toEqual([
    409,
    "invalid-transition",
    "PENDING",
  ]);
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);

  let underWay: Reply | undefined;
  receiver.respond = async (response) => {
    underWay = await call(tenant, "POST", `${path}/resend`);
    response.writeHead(200).end();
  };
  await attempt(tenant, delivery.id);
  expect(underWay?.status).toBe(409);
  expect((await call(tenant, "POST", `${path}/resend`)).status).toBe(202);
});

test("202 for recovering: dryRun only counts, then all failed and held deliveries of that time are pending again, spread over time", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  const other = await newWebhook(tenant);
  await newConversation(tenant);
  await fail(tenant, {});
  const earlier = await db().delivery.findFirstOrThrow({
    where: { webhookId: webhook.id },
    orderBy: { createdAt: "desc" },
  });
  // Both are in whole milliseconds.
  await expect.poll(() => Date.now()).toBeGreaterThan(earlier.createdAt.getTime());
  const since = new Date().toISOString();
  for (let index = 0; index < 6; index++) await newConversation(tenant);
  const recent = await db().delivery.findMany({
    where: { webhookId: webhook.id, createdAt: { gte: since } },
    orderBy: { id: "asc" },
  });
  const [delivered, held, ...failed] = recent.map(({ id }) => id);
  await attempt(tenant, delivered as string);
  await db().delivery.updateMany({
    where: { id: held as string },
    data: { status: "HELD", nextAttemptAt: null },
  });
  await fail(tenant, { id: { in: failed } });
  const test = (await call(tenant, "POST", `${webhook.path}/test`)).body.id;
  await fail(tenant, { id: test });

  const dry = await call(tenant, "POST", `${webhook.path}/recover`, { since, dryRun: true });
  expect(dry).toMatchObject({ status: 202, body: { count: 5 } });
  expect(await workOffBacklog(2)).toBe(0);
  const recovered = await call(tenant, "POST", `${webhook.path}/recover`, { since });
  expect(recovered).toMatchObject({ status: 202, body: { count: 5 } });
  const before = Date.now();
  // In batches of two, the third of which ends the task.
  expect(await workOffBacklog(2)).toBe(5);
  expect(await workOffBacklog(2)).toBe(0);
  const afterMs = Date.now();

  const pending = await db().delivery.findMany({
    where: { webhookId: webhook.id, status: "PENDING" },
    orderBy: { id: "asc" },
  });
  expect(pending.map(({ id }) => id)).toEqual([held, ...failed]);
  expect(pending.every(({ automaticCount }) => automaticCount === 0)).toBe(true);
  const dueTimes = pending.map(({ nextAttemptAt }) => (nextAttemptAt?.getTime() ?? 0) - before);
  const gaps = dueTimes.slice(1).map((time, index) => time - (dueTimes[index] ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(19);
  expect(dueTimes.at(-1)).toBeLessThan(afterMs - before + 2_000);
  expect(await db().delivery.count({ where: { webhookId: other.id, status: "FAILED" } })).toBe(1);
  expect(await db().delivery.count({ where: { webhookId: webhook.id, status: "FAILED" } })).toBe(2);
  expect(await auditActions(tenant)).toContain("webhook.deliveries_recovered");

  for (const { id } of pending)
    await db().delivery.updateMany({ where: { id }, data: { nextAttemptAt: new Date(0) } });
  respondWith(500);
  const { retryAt } = await attempt(tenant, failed[0] as string);
  expect(Date.parse(retryAt ?? "") - Date.now()).toBeLessThan(34_000);
});

test("202 for a test, a resend and a recovery leaves an audit entry of who requested it; a dry run leaves none", async () => {
  const tenant = await newTenant();
  const { webhook, delivery, path } = await newDelivery(tenant);
  await attempt(tenant, delivery.id);
  const test = await call(tenant, "POST", `${webhook.path}/test`);
  const resent = await call(tenant, "POST", `${path}/resend`);
  await fail(tenant, { id: delivery.id });
  const since = "2020-01-01T00:00:00.000Z";
  await call(tenant, "POST", `${webhook.path}/recover`, { since, dryRun: true });
  const recovered = await call(tenant, "POST", `${webhook.path}/recover`, { since });
  expect(await workOffBacklog(500)).toBe(1);

  const entries = await db().auditEntry.findMany({
    where: { tenantId: tenant.tenantId },
    orderBy: { sequence: "asc" },
    skip: 2,
  });
  expect(entries).toMatchObject([
    { action: "webhook.test_sent", changes: { after: { deliveryId: test.body.id } } },
    { action: "webhook.delivery_resent", changes: { after: { deliveryId: delivery.id } } },
    {
      action: "webhook.deliveries_recovered",
      changes: { after: { since, until: null, count: 1 } },
    },
  ]);
  for (const [index, reply] of [test, resent, recovered].entries()) {
    expect(entries[index]).toMatchObject({
      ...{ targetId: webhook.id, actorType: "API_KEY", actorId: tenant.keyId, environment: "test" },
      requestId: reply.headers.get("x-request-id"),
    });
  }
});

test("202 for recovering up to a time ignores later deliveries, and counts 0 when there is nothing to recover", async () => {
  const tenant = await newTenant();
  const { webhook, delivery } = await newDelivery(tenant);
  await fail(tenant, { id: delivery.id });
  const at = Date.parse(delivery.createdAt);
  const count = async (since: number, until: number) => {
    const body = {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      dryRun: true,
    };
    return (await call(tenant, "POST", `${webhook.path}/recover`, body)).body.count;
  };
  expect(await count(at - 1_000, at - 1)).toBe(0);
  expect(await count(at, at)).toBe(1);
  expect(await count(at + 1, at + 1_000)).toBe(0);
  const nothing = await call(tenant, "POST", `${webhook.path}/recover`, {
    since: new Date(at + 1_000).toISOString(),
  });
  expect(nothing).toMatchObject({ status: 202, body: { count: 0 } });
  expect(await db().backlogTask.count({ where: { webhookId: webhook.id } })).toBe(0);
});

test.each([
  [{}, "/since"],
  [{ since: "yesterday" }, "/since"],
  [{ since: "2026-01-31T09:30:00Z", until: "2026-01-30T09:30:00Z" }, "/until"],
  [{ since: "2026-01-31T09:30:00Z", dryRun: "yes" }, "/dryRun"],
  [{ since: "2026-01-31T09:30:00Z", status: "FAILED" }, "/status"],
])("422 for recovering with %j", async (body, pointer) => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant);
  const reply = await call(tenant, "POST", `${path}/recover`, body);
  expect(reply.status).toBe(422);
  expect(new Set(reply.body.errors.map((issue: { pointer: string }) => issue.pointer))).toEqual(
    new Set([pointer]),
  );
});

test("409 for recovering while the webhook is disabled; a dry run still counts", async () => {
  const since = new Date(Date.now() - 60_000).toISOString();
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
  await newConversation(tenant);
  const refused = await call(tenant, "POST", `${webhook.path}/recover`, { since });
  expect([refused.status, kindOf(refused)]).toEqual([409, "invalid-transition"]);
  expect(refused.body).toMatchObject({ from: "HELD", to: "PENDING", allowed: [] });
  expect(
    (await call(tenant, "POST", `${webhook.path}/recover`, { since, dryRun: true })).body,
  ).toEqual({ count: 1 });
});

test("enabling a webhook resumes held deliveries, discards them or leaves them", async () => {
  const tenant = await newTenant();
  const held = async () => {
    const webhook = await newWebhook(tenant);
    await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
    return webhook;
  };
  const [resumed, discarded, stillHeld] = [await held(), await held(), await held()];
  for (let index = 0; index < 3; index++) await newConversation(tenant);
  const count = (id: string) => mutate(tenant.identity, (caller) => countHeld(caller, id));
  expect(await Promise.all([count(resumed.id), count(discarded.id), count(stillHeld.id)])).toEqual([
    3, 3, 3,
  ]);

  const enable = (id: string, what: "RESUME" | "DISCARD" | "KEEP") =>
    mutate(tenant.identity, (caller) => enableWebhook(caller, id, { held: what }));
  expect(await enable(resumed.id, "RESUME")).toMatchObject({
    status: "ENABLED",
    consecutiveFailures: 0,
  });
  await enable(discarded.id, "DISCARD");
  await enable(stillHeld.id, "KEEP");
  expect(await workOffBacklog(500)).toBe(6);

  const statusesOf = async ({ path }: { path: string }) =>
    (await call(tenant, "GET", `${path}/deliveries`)).body.data.map(
      ({ status }: { status: string }) => status,
    );
  expect(await statusesOf(resumed)).toEqual(["PENDING", "PENDING", "PENDING"]);
  expect(await statusesOf(discarded)).toEqual(["DISCARDED", "DISCARDED", "DISCARDED"]);
  expect(await statusesOf(stillHeld)).toEqual(["HELD", "HELD", "HELD"]);
  expect(await mutate(tenant.identity, (caller) => discardHeld(caller, resumed.id))).toEqual({
    count: 0,
  });

  const [lost] = (await call(tenant, "GET", `${discarded.path}/deliveries`)).body.data;
  expect(
    (await call(tenant, "POST", `${discarded.path}/deliveries/${lost.id}/resend`)).status,
  ).toBe(202);
  expect(await attempt(tenant, lost.id)).toEqual({ state: "delivered", retryAt: null });
});

test("resumed deliveries stay held if the webhook is disabled again before their turn", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
  await newConversation(tenant);
  await mutate(tenant.identity, (caller) => enableWebhook(caller, webhook.id, { held: "RESUME" }));
  await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
  expect(await workOffBacklog(500)).toBe(0);
  expect(await db().backlogTask.count({ where: { webhookId: webhook.id } })).toBe(0);
  expect(await mutate(tenant.identity, (caller) => countHeld(caller, webhook.id))).toBe(1);
});

test("404 is the same for another tenant's webhook, delivery and event as for none", async () => {
  const tenant = await newTenant();
  const [stranger, otherEnvironment] = [
    await newTenant(),
    await newKey(tenant, { environment: "live" }),
  ];
  const { webhook, delivery, path } = await newDelivery(tenant);
  const sibling = await newWebhook(tenant);
  const none = (kind: string) => `${kind}_00000000000000000000000000`;
  const since = new Date(0).toISOString();
  const requests: [string, string, string, object?][] = [
    ["POST", `${webhook.path}/rotate-secret`, `/webhooks/${none("whk")}/rotate-secret`],
    ["POST", `${webhook.path}/test`, `/webhooks/${none("whk")}/test`],
    ["POST", `${webhook.path}/recover`, `/webhooks/${none("whk")}/recover`, { since }],
    ["GET", `${webhook.path}/deliveries`, `/webhooks/${none("whk")}/deliveries`],
    ["GET", path, `/webhooks/${none("whk")}/deliveries/${none("dlv")}`],
    ["POST", `${path}/resend`, `/webhooks/${none("whk")}/deliveries/${none("dlv")}/resend`],
    ["GET", `/events/${delivery.eventId}`, `/events/${none("evt")}`],
  ];
  for (const [method, hiddenPath, missingPath, body] of requests) {
    const missing = await call(tenant, method, missingPath, body);
    expect(missing.status).toBe(404);
    for (const other of [stranger, otherEnvironment]) {
      const hidden = await call(other, method, hiddenPath, body);
      expect(withoutIds(hidden.body)).toEqual(withoutIds(missing.body));
    }
  }
  expect((await call(tenant, "GET", `${sibling.path}/deliveries/${delivery.id}`)).status).toBe(404);
  expect(
    (await call(tenant, "POST", `${sibling.path}/deliveries/${delivery.id}/resend`)).status,
  ).toBe(404);
  expect((await call(tenant, "GET", `/events/${delivery.eventId}`)).body.id).toBe(delivery.eventId);
});

test("200 for the event types: each with a JSON Schema that its example matches", async () => {
  const { status, body } = await call(await newTenant(), "GET", "/event-types");
  expect(status).toBe(200);
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual([...eventTypes]);
  for (const { type, description, schema, example } of body.data) {
    const ajv = new Ajv2020({ strict: false, validateFormats: true });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    expect([type, validate(example), validate.errors]).toEqual([type, true, null]);
    expect(example.type).toBe(type);
    expect(description).toMatch(/\.$/);
    expect(validate({ ...example, type: "nonsense" })).toBe(false);
    expect(validate({ ...example, data: { object: {} } })).toBe(false);
  }
});
