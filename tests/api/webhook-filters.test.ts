import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { reader } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { previewFilter } from "@/lib/webhooks/filter";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import { auditOf, newMember } from "../support/people";
import { type Receiver, startReceiver } from "../support/receiver";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

type Filter = Record<string, unknown> | null;

const create = (tenant: TestTenant, filter: unknown, events = ["*"]) =>
  call(tenant, "POST", "/webhooks", { url: receiver.url, events, filter });

async function newWebhook(tenant: TestTenant, filter: Filter, events?: string[]) {
  const { status, body } = await create(tenant, filter, events);
  expect(status).toBe(201);
  return body.id as string;
}

async function newConversation(tenant: TestTenant, body: object = {}) {
  const reply = await call(tenant, "POST", "/conversations", { channelId: "web", ...body });
  expect(reply.status).toBe(201);
  return reply.body.id as string;
}

const post = (tenant: TestTenant, id: string, body: object = { text: "Hello" }) =>
  call(tenant, "POST", `/conversations/${id}/messages`, body);

const change = (tenant: TestTenant, id: string, body: object) =>
  call(tenant, "PATCH", `/conversations/${id}`, body);

/** The types of the events that were sent to a webhook, in their order. */
async function sentTo(webhookId: string): Promise<string[]> {
  const rows = await db().delivery.findMany({
    where: { webhookId },
    orderBy: { eventId: "asc" },
  });
  return rows.map(({ eventType }) => eventType);
}

const missing = "00000000000000000000000000";

test("202 for every event: a filter lets through the conversations that match all of its fields, each by any of its values", async () => {
  const tenant = await newTenant();
  const ada = await newMember(tenant.tenantId, "MEMBER");
  const { body: agent } = await call(tenant, "POST", "/agents", { name: "Concierge" });
  const assigneeId = ada.id;
  const agentId = agent.id;
  const expected: [Filter, string][] = [
    [null, "plain vip mail agent assigned"],
    [{ channelId: "web" }, "plain vip agent assigned"],
    [{ channelId: ["mail", "phone"] }, "mail"],
    [{ tags: "vip" }, "vip mail"],
    [{ tags: ["eu", "us"] }, "mail"],
    [{ priority: ["HIGH", "URGENT"] }, "vip mail"],
    [{ priority: "NORMAL", channelId: "web" }, "plain agent assigned"],
    [{ priority: "URGENT", channelId: "web" }, ""],
    [{ assigneeId }, "assigned"],
    [{ assigneeId: null }, "plain vip mail agent"],
    [{ agentId: [agentId, null], tags: ["vip"] }, "vip mail"],
    [{ agentId }, "agent"],
  ];
  const webhooks = await Promise.all(
    expected.map(([filter]) => newWebhook(tenant, filter, ["message.received"])),
  );
  const conversations = {
    plain: await newConversation(tenant),
    vip: await newConversation(tenant, { priority: "HIGH", tags: ["vip"] }),
    mail: await newConversation(tenant, {
      channelId: "mail",
      priority: "URGENT",
      tags: ["eu", "vip"],
    }),
    agent: await newConversation(tenant, { agentId }),
    assigned: await newConversation(tenant),
  };
  await change(tenant, conversations.assigned, { assigneeId });
  const names = Object.keys(conversations) as (keyof typeof conversations)[];
  const nameOf = new Map<string, string>();
  for (const name of names) {
    expect((await post(tenant, conversations[name])).status).toBe(201);
    const { id } = await db().event.findFirstOrThrow({
      where: { tenantId: tenant.tenantId, type: "message.received" },
      orderBy: { id: "desc" },
    });
    nameOf.set(id, name);
  }

  const sent = await db().delivery.findMany({ where: { tenantId: tenant.tenantId } });
  const namesOf = (webhookId: string | undefined) => {
    const received = sent.filter((delivery) => delivery.webhookId === webhookId);
    const found = new Set(received.map(({ eventId }) => nameOf.get(eventId)));
    return names.filter((name) => found.has(name)).join(" ");
  };
  expect(expected.map(([filter], index) => [filter, namesOf(webhooks[index])])).toEqual(expected);
});

test("201 however a message is written: with its conversation, alone, with a key, or reopening what was resolved", async () => {
  const tenant = await newTenant();
  const vip = await newWebhook(tenant, { tags: ["vip"] });
  const other = await newWebhook(tenant, { tags: ["other"] });
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const before = await sentTo(other);

  const created = { tags: ["vip"], message: "Hello" };
  const id = await newConversation(tenant, created);
  await newConversation(tenant, { ...created, customerId: customer.id });
  await post(tenant, id);
  await call(
    tenant,
    "POST",
    `/conversations/${id}/messages`,
    { text: "Hi" },
    {
      "idempotency-key": "once",
    },
  );
  await change(tenant, id, { status: "RESOLVED" });
  await post(tenant, id);

  expect((await sentTo(vip)).slice(before.length).sort()).toEqual([
    "conversation.created",
    "conversation.created",
    "conversation.status_changed",
    "conversation.status_changed",
    ...Array(5).fill("message.received"),
  ]);
  expect(await sentTo(other)).toEqual(before);
});

test("201 for events about no conversation: they pass every filter", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant, { channelId: "nowhere", agentId: null });
  await call(tenant, "POST", "/customers", {
    name: "Ada",
    metadata: { conversationId: `cnv_${missing}` },
  });
  await call(tenant, "POST", "/agents", { name: "Concierge" });
  await newConversation(tenant);
  expect(await sentTo(webhook)).toEqual(["customer.created", "agent.created"]);
});

test("200 for a change: it is sent if the conversation matched before or after it", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant, { tags: ["vip"], priority: "NORMAL" });
  const id = await newConversation(tenant);
  await change(tenant, id, { subject: "Before" });
  await change(tenant, id, { addTags: ["vip"] });
  await change(tenant, id, { subject: "While it matches" });
  await change(tenant, id, { removeTags: ["vip"] });
  await change(tenant, id, { subject: "After" });
  // It matches neither before nor after, although each field matches at one of the two times.
  await change(tenant, id, { addTags: ["vip"], priority: "HIGH" });
  expect(await sentTo(webhook)).toHaveLength(3);
});

test("200 for a new filter: it applies from then on, and what is waiting is still sent", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant, { channelId: "web" }, ["conversation.*"]);
  await newConversation(tenant);
  const { body } = await call(tenant, "PATCH", `/webhooks/${webhook}`, {
    filter: { channelId: "mail" },
  });
  expect(body.filter).toEqual({ channelId: "mail" });
  await newConversation(tenant);
  await newConversation(tenant, { channelId: "mail" });
  expect(await sentTo(webhook)).toHaveLength(2);

  expect((await call(tenant, "PATCH", `/webhooks/${webhook}`, { filter: null })).body.filter).toBe(
    null,
  );
  await newConversation(tenant);
  expect(await sentTo(webhook)).toHaveLength(3);
  const changes = (await auditOf(tenant.tenantId)).filter(
    ({ action }) => action === "webhook.updated",
  );
  expect(changes.map((entry) => entry.changes)).toEqual([
    { before: { filter: { channelId: "web" } }, after: { filter: { channelId: "mail" } } },
    { before: { filter: { channelId: "mail" } }, after: { filter: null } },
  ]);
});

test.each([
  [{}, "/filter"],
  [[], "/filter"],
  ["web", "/filter"],
  [{ channel: "web" }, "/filter/channel"],
  [{ channelId: null }, "/filter/channelId"],
  [{ channelId: "" }, "/filter/channelId"],
  [{ channelId: 1 }, "/filter/channelId"],
  [{ channelId: [] }, "/filter/channelId"],
  [{ tags: ["vip", "vip"] }, "/filter/tags/1"],
  [{ tags: ["x".repeat(51)] }, "/filter/tags/0"],
  [{ tags: { any: ["vip"] } }, "/filter/tags"],
  [{ priority: "HIGHEST" }, "/filter/priority"],
  [{ priority: ["HIGH", "highest"] }, "/filter/priority/1"],
  [{ assigneeId: "ada" }, "/filter/assigneeId"],
  [{ assigneeId: [null, `usr_${missing}`] }, "/filter/assigneeId/1"],
  [{ agentId: `agt_${missing}` }, "/filter/agentId"],
])("422 for the filter %j", async (filter, pointer) => {
  const tenant = await newTenant();
  const { status, body } = await create(tenant, filter);
  expect([status, body.errors.map((issue: { pointer: string }) => issue.pointer)]).toEqual([
    422,
    [pointer],
  ]);
});

test("422 for a filter with hundreds of tags", async () => {
  const tags = Array.from({ length: 900 }, (_, index) => `tag ${index}`);
  const { status, body } = await create(await newTenant(), { tags });
  expect([status, body.errors]).toEqual([
    422,
    [
      expect.objectContaining({
        pointer: "/filter/tags",
        message: "filter.tags must have at most 50 items",
      }),
    ],
  ]);
});

test("201 for 50 tags in a filter, and 422 for 51", async () => {
  const tenant = await newTenant();
  const tags = Array.from({ length: 51 }, (_, index) => `tag ${index}`);
  expect((await create(tenant, { tags: tags.slice(1) })).status).toBe(201);
  expect((await create(tenant, { tags })).status).toBe(422);
});

test("202 for recovering, resending and testing, which ignore the filter", async () => {
  const tenant = await newTenant();
  const webhookId = await newWebhook(tenant, { channelId: "web" });
  await newConversation(tenant);
  await db().delivery.updateMany({
    where: { webhookId },
    data: { status: "FAILED", attemptCount: 8, automaticCount: 8, nextAttemptAt: null },
  });
  const path = `/webhooks/${webhookId}`;
  await call(tenant, "PATCH", path, { filter: { channelId: "mail" } });

  const [delivery] = (await call(tenant, "GET", `${path}/deliveries`)).body.data;
  const since = "2020-01-01T00:00:00Z";
  const recovery = await call(tenant, "POST", `${path}/recover`, { since });
  expect([recovery.status, recovery.body]).toEqual([202, { count: 1 }]);
  await workOffBacklog(500);
  // Recovered deliveries are spread over time.
  await db().delivery.updateMany({
    where: { webhookId, status: "PENDING" },
    data: { nextAttemptAt: new Date(0) },
  });
  const attempt = (id: string) =>
    attemptDelivery({ tenantId: tenant.tenantId, environment: "test", id });
  expect(await attempt(delivery.id)).toMatchObject({ state: "delivered" });
  const resend = await call(tenant, "POST", `${path}/deliveries/${delivery.id}/resend`);
  expect(resend.status).toBe(202);
  const test = await call(tenant, "POST", `${path}/test`, { type: "message.received" });
  for (const { id } of [resend.body, test.body])
    expect(await attempt(id)).toMatchObject({ state: "delivered" });
  expect(receiver.requests).toHaveLength(3);
});

test("422 for an agent of the other environment, also when a filter is changed", async () => {
  const test = await newTenant();
  const live = await newKey(test, { environment: "live" });
  const { body: agent } = await call(live, "POST", "/agents", { name: "Concierge" });
  const id = await newWebhook(test, null);
  const filter = { agentId: agent.id };
  const { status, body } = await call(test, "PATCH", `/webhooks/${id}`, { filter });
  expect([status, body.errors[0].pointer]).toEqual([422, "/filter/agentId"]);
});

test("202 for a replay: it sends the events of conversations that match now, and counts only those", async () => {
  const tenant = await newTenant();
  const matching = await newConversation(tenant, { tags: ["vip"], message: "Hello" });
  await newConversation(tenant, { message: '"conversationId":"' });
  const later = await newConversation(tenant, { message: "Hello" });
  await change(tenant, later, { addTags: ["vip"] });
  await call(tenant, "POST", "/customers", { name: "Ada" });
  const webhook = await newWebhook(tenant, { tags: "vip" }, [
    "conversation.created",
    "message.*",
    "customer.*",
  ]);
  const replay = (body: object = {}) =>
    call(tenant, "POST", `/webhooks/${webhook}/replay`, { since: "2020-01-01T00:00:00Z", ...body });

  expect((await replay({ dryRun: true })).body).toEqual({ count: 5, isMore: false });
  expect((await replay({ dryRun: true, statuses: ["DELIVERED"] })).body).toEqual({
    count: 0,
    isMore: false,
  });
  expect((await replay()).body).toEqual({ count: 5, isMore: false });
  await workOffBacklog(3);
  const sent = await db().delivery.findMany({
    where: { webhookId: webhook },
    include: { event: true },
  });
  expect(sent.map(({ eventType }) => eventType).sort()).toEqual([
    "conversation.created",
    "conversation.created",
    "customer.created",
    "message.received",
    "message.received",
  ]);
  const payloads = sent.map(({ event }) => event.payload).join();
  expect([matching, later].every((id) => payloads.includes(id))).toBe(true);
  expect((await replay({ dryRun: true, statuses: ["NONE"] })).body).toEqual({
    count: 0,
    isMore: false,
  });
});

test("the preview of a filter lists the newest events that match, of the selected types only", async () => {
  const tenant = await newTenant();
  for (let index = 0; index < 12; index++) await newConversation(tenant, { tags: ["vip"] });
  await newConversation(tenant, { message: "Hello" });
  await call(tenant, "POST", "/customers", { name: "Ada" });
  const caller = reader(tenant.identity);
  const preview = (filter: object | null) =>
    previewFilter(caller, ["conversation.created", "customer.created"], filter);

  const { events, ...counts } = await preview({ tags: ["vip"] });
  expect(counts).toEqual({ compared: 14, matching: 13 });
  expect(events.map(({ type }) => type)).toEqual([
    "customer.created",
    ...Array(9).fill("conversation.created"),
  ]);
  expect(await preview(null)).toMatchObject({ compared: 14, matching: 14 });
});

test("202 counts at most the first 20,000 events of a replay with a filter, and says that there are more", async () => {
  const tenant = await newTenant();
  const { body: webhook } = await call(tenant, "POST", "/webhooks", {
    url: "http://127.0.0.1:9/hook",
    events: ["conversation.created"],
    filter: { tags: ["vip"] },
  });
  const { tenantId, environment } = tenant.identity.partition;
  await pool().query(
    `INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
     SELECT $1, $2::"Environment", 'evt_' || ulid_time(now() - interval '1 minute') || lpad(n::text, 16, '0'), 'conversation.created',
       '{"data":{"object":{"id":"cnv_00000000000000000000000000","tags":[]}}}', now() - interval '1 minute' FROM generate_series(1, 20001) AS n`,
    [tenantId, environment],
  );
  await call(tenant, "POST", "/conversations", { channelId: "web", tags: ["vip"] });
  const replay = (body: object) => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    return call(tenant, "POST", `/webhooks/${webhook.id}/replay`, { since, ...body });
  };
  expect((await replay({ dryRun: true })).body).toEqual({ count: 0, isMore: true });
  // None of those that were counted, but it starts all the same.
  expect((await replay({})).body).toEqual({ count: 0, isMore: true });
  expect(await db().backlogTask.count({ where: { tenantId, action: "REPLAY" } })).toBe(1);
  // They are not the events that the catalog describes.
  await pool().query("DELETE FROM events WHERE tenant_id = $1", [tenantId]);
});
