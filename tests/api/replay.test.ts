import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { db, pool } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, type Reply, type TestTenant, withoutIds } from "../support/api";
import { eventsInOrder } from "../support/feed";
import { hasWaiting, watch } from "../support/locks";
import { type Receiver, startReceiver } from "../support/receiver";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  // What other tests have left.
  while ((await workOffBacklog(500)) > 0);
});
afterEach(() => receiver.close());

const longAgo = "2020-01-01T00:00:00.000Z";
const kindOf = ({ body }: Reply) => body.type.split("/").at(-1);
const newConversation = (tenant: TestTenant) =>
  call(tenant, "POST", "/conversations", { channelId: "web" });
const newCustomer = (tenant: TestTenant) => call(tenant, "POST", "/customers", { name: "Ada" });

async function newWebhook(tenant: TestTenant, events: string[]) {
  const { body } = await call(tenant, "POST", "/webhooks", { url: receiver.url, events });
  return { id: body.id as string, path: `/webhooks/${body.id}` };
}

const deliveriesOf = (webhookId: string) =>
  db().delivery.findMany({ where: { webhookId }, orderBy: { id: "asc" } });

const attempt = ({ identity }: TestTenant, id: string) =>
  attemptDelivery({ ...identity.partition, id });

const replay = (tenant: TestTenant, { path }: { path: string }, body: object = {}, headers = {}) =>
  call(tenant, "POST", `${path}/replay`, { since: longAgo, ...body }, headers);

const setStatus = (id: string, status: "FAILED" | "HELD" | "DISCARDED") =>
  db().delivery.updateMany({ where: { id }, data: { status, nextAttemptAt: null } });

/** As if their time had come. */
const makeDue = (webhookId: string) =>
  db().delivery.updateMany({
    where: { webhookId, status: "PENDING" },
    data: { nextAttemptAt: new Date(0) },
  });

/** Three events from before the webhook, and four after it: delivered, failed, held and pending. */
async function furnish(tenant: TestTenant) {
  for (let index = 0; index < 3; index++) await newConversation(tenant);
  await newCustomer(tenant);
  const webhook = await newWebhook(tenant, ["conversation.*"]);
  const other = await newWebhook(tenant, ["*"]);
  for (let index = 0; index < 4; index++) await newConversation(tenant);
  await newCustomer(tenant);
  const [delivered, failed, held, pending] = (await deliveriesOf(webhook.id)).map(({ id }) => id);
  await attempt(tenant, delivered as string);
  await setStatus(failed as string, "FAILED");
  await setStatus(held as string, "HELD");
  await call(tenant, "POST", `${webhook.path}/test`);
  return { webhook, other, delivered, failed, held, pending };
}

test("202 for a replay: delivered events, failed ones and those from before the webhook are sent once each, with the same id and bytes", async () => {
  const tenant = await newTenant();
  const { webhook, other, pending, delivered } = await furnish(tenant);
  const untouched = await deliveriesOf(other.id);
  const events = (await eventsInOrder(tenant)).filter(({ type }) =>
    type.startsWith("conversation."),
  );
  expect(events).toHaveLength(7);

  expect(await replay(tenant, webhook, { dryRun: true })).toMatchObject({
    status: 202,
    body: { count: 6 },
  });
  expect(await workOffBacklog(2)).toBe(0);
  expect(await replay(tenant, webhook)).toMatchObject({ status: 202, body: { count: 6 } });
  // In batches of four of the ten events.
  expect(await workOffBacklog(4)).toBe(10);
  expect(await workOffBacklog(4)).toBe(0);

  const deliveries = (await deliveriesOf(webhook.id)).filter(
    ({ eventType }) => eventType !== "webhook.test",
  );
  expect(deliveries.map(({ eventId }) => eventId).sort()).toEqual(
    events.map(({ id }) => id).sort(),
  );
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(["PENDING"]));
  const replayed = deliveries.filter(({ id }) => id !== pending);
  const dueMs = new Map(
    replayed.map(({ eventId, nextAttemptAt }) => [eventId, nextAttemptAt?.getTime() ?? 0]),
  );
  const inOrder = events.flatMap(({ id }) => dueMs.get(id) ?? []);
  for (const [index, time] of inOrder.slice(1).entries())
    expect(time - (inOrder[index] ?? 0)).toBeGreaterThanOrEqual(19);
  expect(await deliveriesOf(other.id)).toEqual(untouched);

  await makeDue(webhook.id);
  const before = receiver.requests.length;
  for (const { id } of replayed)
    expect(await attempt(tenant, id)).toMatchObject({ state: "delivered" });
  const bodies = receiver.requests.slice(before).map(({ body }) => JSON.parse(body));
  expect(bodies).toEqual(replayed.map(({ eventId }) => events.find(({ id }) => id === eventId)));
  // The attempt before the replay is still listed.
  const { body } = await call(tenant, "GET", `${webhook.path}/deliveries/${delivered}`);
  expect(body.attempts).toMatchObject([{ number: 1 }, { number: 2 }]);
});

test.each([
  [{ statuses: ["NONE"] }, 3],
  [{ statuses: ["DELIVERED"] }, 1],
  [{ statuses: ["FAILED", "HELD"] }, 2],
  [{ statuses: ["DISCARDED"] }, 0],
  [{ eventTypes: ["conversation.created"] }, 6],
  [{ eventTypes: ["customer.created", "webhook.test"] }, 0],
  [{ eventTypes: ["conversation.created"], statuses: ["DELIVERED", "NONE"] }, 4],
  [{ until: longAgo }, 0],
])("202 for a replay of %j: %i events", async (selection, count) => {
  const tenant = await newTenant();
  const { webhook } = await furnish(tenant);
  const before = await deliveriesOf(webhook.id);
  expect((await replay(tenant, webhook, { ...selection, dryRun: true })).body).toEqual({
    count,
    isMore: false,
  });
  expect((await replay(tenant, webhook, selection)).body).toEqual({ count, isMore: false });
  await workOffBacklog(500);

  const pendingBefore = new Set(
    before.filter(({ status }) => status === "PENDING").map(({ id }) => id),
  );
  const after = await deliveriesOf(webhook.id);
  const replayed = after.filter(({ id, status }) => status === "PENDING" && !pendingBefore.has(id));
  expect(replayed).toHaveLength(count);
});

test("202 for two replays one after the other: each sends each event once", async () => {
  const tenant = await newTenant();
  for (let index = 0; index < 5; index++) await newConversation(tenant);
  const webhook = await newWebhook(tenant, ["*"]);
  for (let round = 1; round <= 2; round++) {
    expect((await replay(tenant, webhook)).body).toEqual({ count: 5, isMore: false });
    await workOffBacklog(500);
    await makeDue(webhook.id);
    for (const { id } of await deliveriesOf(webhook.id)) await attempt(tenant, id);
    expect(receiver.requests).toHaveLength(5 * round);
  }
  const sent = receiver.requests.map(({ headers }) => headers["x-service-event-id"]);
  expect(sent.slice(5).sort()).toEqual(sent.slice(0, 5).sort());
});

test("workers that share a replay, while events are raised, make one delivery of each event", async () => {
  const tenant = await newTenant();
  const count = 30;
  for (let index = 0; index < count; index++) await newConversation(tenant);
  const webhook = await newWebhook(tenant, ["*"]);
  expect((await replay(tenant, webhook)).body).toEqual({ count, isMore: false });
  const work = Array.from({ length: 4 }, async () => {
    while (await db().backlogTask.count({ where: { webhookId: webhook.id } }))
      await workOffBacklog(3);
  });
  await Promise.all([...work, ...Array.from({ length: 8 }, () => newConversation(tenant))]);

  const deliveries = await deliveriesOf(webhook.id);
  expect(new Set(deliveries.map(({ eventId }) => eventId)).size).toBe(count + 8);
  expect(deliveries).toHaveLength(count + 8);
  expect(await replay(tenant, webhook, { dryRun: true })).toMatchObject({ body: { count: 0 } });
});

test("a replay up to now includes an event from before the webhook whose process has a clock that is ahead", async () => {
  const tenant = await newTenant();
  await newConversation(tenant);
  await pool().query(
    "UPDATE events SET id = 'evt_' || ulid_time(now() + interval '3 seconds') || substr(id, 15) WHERE tenant_id = $1",
    [tenant.tenantId],
  );
  const webhook = await newWebhook(tenant, ["*"]);
  expect((await replay(tenant, webhook, { dryRun: true })).body).toMatchObject({ count: 1 });
  expect((await replay(tenant, webhook)).body).toMatchObject({ count: 1 });
  // What is raised meanwhile is sent once.
  await newConversation(tenant);
  const [raised] = await deliveriesOf(webhook.id);
  await attempt(tenant, raised?.id as string);
  await workOffBacklog(500);
  expect(
    (await deliveriesOf(webhook.id)).map(({ id, status }) => [id === raised?.id, status]).sort(),
  ).toEqual([
    [false, "PENDING"],
    [true, "DELIVERED"],
  ]);
});

test("an event that a job deletes while it is replayed gets no delivery", async () => {
  const tenant = await newTenant();
  await newConversation(tenant);
  const webhook = await newWebhook(tenant, ["*"]);
  await newConversation(tenant);
  await newConversation(tenant);
  const [first] = await deliveriesOf(webhook.id);
  await setStatus(first?.id as string, "FAILED");
  const kept = (await eventsInOrder(tenant)).at(-1)?.id;
  expect((await replay(tenant, webhook)).body).toEqual({ count: 2, isMore: false });

  const client = await pool().connect();
  try {
    await client.query("BEGIN");
    const { rowCount } = await client.query(
      "DELETE FROM events WHERE tenant_id = $1 AND id <> $2",
      [tenant.tenantId, kept],
    );
    expect(rowCount).toBe(2);
    const replaying = workOffBacklog(500);
    const state = watch(replaying);
    while (!state.hasSettled && !(await hasWaiting(pool(), "%FROM backlog_tasks t%")));
    await client.query("COMMIT");
    await replaying;
  } finally {
    client.release();
  }
  expect((await deliveriesOf(webhook.id)).map(({ eventId }) => eventId)).toEqual([kept]);
  expect(await db().backlogTask.count({ where: { webhookId: webhook.id } })).toBe(0);
});

test("202 for a repeated request with its Idempotency-Key makes one replay, and leaves one audit entry", async () => {
  const tenant = await newTenant();
  await newConversation(tenant);
  const webhook = await newWebhook(tenant, ["*"]);
  const key = { "idempotency-key": newId("request") };
  const first = await replay(tenant, webhook, {}, key);
  const second = await replay(tenant, webhook, {}, key);
  expect([second.status, second.text]).toEqual([202, first.text]);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(await db().backlogTask.count({ where: { webhookId: webhook.id } })).toBe(1);
  expect(
    await db().auditEntry.findMany({
      where: { tenantId: tenant.tenantId, action: "webhook.events_replayed" },
    }),
  ).toMatchObject([
    {
      ...{ targetId: webhook.id, actorId: tenant.keyId },
      changes: { after: { since: longAgo, eventTypes: null, count: 1, isMore: false } },
    },
  ]);
});

test("409 for a replay while another one of the webhook is in progress, or while it is disabled; a dry run still counts", async () => {
  const tenant = await newTenant();
  await newConversation(tenant);
  const webhook = await newWebhook(tenant, ["*"]);
  const replies = await Promise.all([replay(tenant, webhook), replay(tenant, webhook)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
  const refused = await replay(tenant, webhook);
  expect([refused.status, kindOf(refused), refused.body.limit, refused.body.current]).toEqual([
    ...[409, "limit-reached", 1, 1],
  ]);
  expect((await replay(tenant, webhook, { dryRun: true })).body).toEqual({
    count: 1,
    isMore: false,
  });
  await workOffBacklog(500);

  await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
  const disabled = await replay(tenant, webhook);
  expect([disabled.status, kindOf(disabled)]).toEqual([409, "invalid-transition"]);
  expect((await replay(tenant, webhook, { dryRun: true })).status).toBe(202);
});

test("a replay ends if its webhook is disabled meanwhile", async () => {
  const tenant = await newTenant();
  await newConversation(tenant);
  const webhook = await newWebhook(tenant, ["*"]);
  await replay(tenant, webhook);
  await call(tenant, "PATCH", webhook.path, { status: "DISABLED" });
  expect(await workOffBacklog(500)).toBe(0);
  expect(await deliveriesOf(webhook.id)).toEqual([]);
  expect(await db().backlogTask.count({ where: { webhookId: webhook.id } })).toBe(0);
});

test("422 for a replay names each fault", async () => {
  const tenant = await newTenant();
  const { path } = await newWebhook(tenant, ["*"]);
  const pointers = async (body: object) => {
    const reply = await call(tenant, "POST", `${path}/replay`, body);
    expect(reply.status).toBe(422);
    return reply.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
  };
  expect(await pointers({})).toEqual(["/since"]);
  expect(await pointers({ since: "yesterday", dryRun: "yes", limit: 1 })).toEqual([
    "/dryRun",
    "/limit",
    "/since",
  ]);
  expect(await pointers({ since: "2026-01-31T00:00:00Z", until: longAgo })).toEqual(["/until"]);
  expect(
    await pointers({
      since: longAgo,
      eventTypes: ["conversation.*"],
      statuses: ["PENDING", "NONE", "NONE"],
    }),
  ).toEqual(["/eventTypes/0", "/statuses/0"]);
  expect(await pointers({ since: longAgo, eventTypes: [], statuses: ["NONE", "NONE"] })).toEqual([
    "/eventTypes",
    "/statuses/1",
  ]);
});

test("404 for a replay of another tenant's webhook, and of the other environment's, as for none", async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  const live = await newKey(tenant, { environment: "live" });
  const webhook = await newWebhook(tenant, ["*"]);
  await newConversation(tenant);
  const missing = await replay(tenant, { path: `/webhooks/${newId("webhook")}` });
  expect(missing.status).toBe(404);
  for (const other of [stranger, live])
    expect(withoutIds((await replay(other, webhook)).body)).toEqual(withoutIds(missing.body));
  expect(await deliveriesOf(webhook.id)).toHaveLength(1);
});
