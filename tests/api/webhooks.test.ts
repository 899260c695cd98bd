import { expect, test } from "vitest";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { db } from "@/lib/platform/db";
import { call, newKey, newTenant } from "../support/api";
import { eventsInOrder } from "../support/feed";

const valid = { url: "https://example.com/hook", events: ["conversation.created", "message.*"] };

test("201 shows the secret only once", async () => {
  const tenant = await newTenant();

  const created = await call(tenant, "POST", "/webhooks", { ...valid, description: "Ours" });

  expect(created.status).toBe(201);
  const { secret, ...webhook } = created.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toEqual({
    id: expect.stringMatching(/^whk_/),
    environment: "test",
    url: "https://example.com/hook",
    description: "Ours",
    events: ["conversation.created", "message.*"],
    filter: null,
    headerNames: [],
    signatureScheme: "hmac",
    publicKeys: [],
    maxPerSecond: null,
    ordering: "none",
    onExhausted: "continue",
    acceptsReplies: false,
    status: "ENABLED",
    disabledReason: null,
    disabledAt: null,
    consecutiveFailures: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
    secretHint: `whsec_…${secret.slice(-4)}`,
    previousSecretExpiresAt: null,
    metadata: {},
    createdAt: expect.any(String),
    updatedAt: created.body.createdAt,
  });
  expect((await call(tenant, "GET", `/webhooks/${webhook.id}`)).body).toEqual(webhook);
  expect((await call(tenant, "GET", "/webhooks")).body).toEqual({ data: [webhook] });
  const patched = await call(tenant, "PATCH", `/webhooks/${webhook.id}`, { description: null });
  expect(patched.body).toEqual({
    ...webhook,
    description: null,
    updatedAt: patched.body.updatedAt,
  });
});

test("200 disables manually, and enabling again resets the count of failures", async () => {
  const tenant = await newTenant();
  const { id } = (await call(tenant, "POST", "/webhooks", valid)).body;
  await db().webhook.updateMany({ where: { id }, data: { consecutiveFailures: 42 } });

  const disabled = await call(tenant, "PATCH", `/webhooks/${id}`, { status: "DISABLED" });
  const enabled = await call(tenant, "PATCH", `/webhooks/${id}`, { status: "ENABLED" });

  expect(disabled.body).toMatchObject({
    status: "DISABLED",
    disabledReason: "MANUAL",
    disabledAt: expect.any(String),
    consecutiveFailures: 42,
  });
  expect(enabled.body).toMatchObject({
    status: "ENABLED",
    disabledReason: null,
    disabledAt: null,
    consecutiveFailures: 0,
  });
});

test("200 deletes a webhook with its deliveries; its events stay", async () => {
  const tenant = await newTenant();
  const { id } = (await call(tenant, "POST", "/webhooks", valid)).body;
  await call(tenant, "POST", "/conversations", { channelId: "web" });
  const [delivery] = (await call(tenant, "GET", `/webhooks/${id}/deliveries`)).body.data;

  expect(await call(tenant, "DELETE", `/webhooks/${id}`)).toMatchObject({
    status: 200,
    body: { id, deleted: true },
  });

  for (const path of ["", "/deliveries", `/deliveries/${delivery.id}`]) {
    expect((await call(tenant, "GET", `/webhooks/${id}${path}`)).status).toBe(404);
  }
  for (const path of ["/rotate-secret", "/test", `/deliveries/${delivery.id}/resend`]) {
    expect((await call(tenant, "POST", `/webhooks/${id}${path}`)).status).toBe(404);
  }
  expect((await call(tenant, "PATCH", `/webhooks/${id}`, { status: "ENABLED" })).status).toBe(404);
  expect((await call(tenant, "DELETE", `/webhooks/${id}`)).status).toBe(404);
  expect((await call(tenant, "GET", "/webhooks")).body).toEqual({ data: [] });
  // The deliveries are left to a job, which a million of them would keep busy for a while.
  const left = async () => {
    await workOffBacklog(500);
    return db().delivery.count({ where: { webhookId: id } });
  };
  await expect.poll(left).toBe(0);
  expect((await call(tenant, "GET", "/events")).body.data).toHaveLength(1);
});

test("409 limit-reached for a 21st webhook, also under concurrent requests", async () => {
  const tenant = await newTenant();
  const replies = await Promise.all(
    Array.from({ length: 25 }, () => call(tenant, "POST", "/webhooks", valid)),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
  for (const { body } of replies.filter(({ status }) => status !== 201)) {
    expect(body).toMatchObject({
      type: expect.stringMatching(/\/errors\/limit-reached$/),
      limit: 20,
      current: 20,
    });
  }
  expect(
    (await call(await newKey(tenant, { environment: "live" }), "POST", "/webhooks", valid)).status,
  ).toBe(201);
});

test.each([
  ["an unknown event", { events: ["conversation.forgotten"] }, "/events/0"],
  ["no event", { events: [] }, "/events"],
  ["no address", { url: "nonsense" }, "/url"],
  ["another protocol", { url: "ftp://example.com/" }, "/url"],
  ["credentials in the address", { url: "https://user:password@example.com/" }, "/url"],
  ["a private address", { url: "https://10.0.0.1/" }, "/url"],
  ["the metadata service", { url: "http://169.254.169.254/" }, "/url"],
  ["an internal name", { url: "https://service.internal/" }, "/url"],
  ["an address too long", { url: `https://example.com/${"x".repeat(2_048)}` }, "/url"],
  ["a field that is not its own to write", { secret: "whsec_x" }, "/secret"],
])("422 for %s", async (_what, change, pointer) => {
  const tenant = await newTenant();
  const reply = await call(tenant, "POST", "/webhooks", { ...valid, ...change });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer, location: "body" }] } });
});

test("each subscribed webhook gets one delivery of an event, and that of a disabled webhook is held", async () => {
  const tenant = await newTenant();
  const subscribe = async (...events: string[]) =>
    (await call(tenant, "POST", "/webhooks", { ...valid, events })).body.id as string;
  const [exact, family, all, other, disabled] = [
    await subscribe("conversation.created", "conversation.*"),
    await subscribe("conversation.*"),
    await subscribe("*"),
    await subscribe("customer.created"),
    await subscribe("*"),
  ];
  await call(tenant, "PATCH", `/webhooks/${disabled}`, { status: "DISABLED" });

  await call(tenant, "POST", "/conversations", { channelId: "web" });

  const deliveries = await db().delivery.findMany({ where: { tenantId: tenant.tenantId } });
  const states = Object.fromEntries(deliveries.map(({ webhookId, status }) => [webhookId, status]));
  expect(states).toEqual({
    [exact as string]: "PENDING",
    [family as string]: "PENDING",
    [all as string]: "PENDING",
    [disabled as string]: "HELD",
  });
  expect(deliveries).toHaveLength(4);
  expect(other).toBeDefined();
});

test("200 lists events as they were sent, filtered by type and time", async () => {
  const tenant = await newTenant();
  const created = await call(
    tenant,
    "POST",
    "/conversations",
    { channelId: "web", message: "Hi" },
    { "idempotency-key": "k-1" },
  );

  const data = await eventsInOrder(tenant);

  expect(data.map(({ type }) => type)).toEqual(["conversation.created", "message.received"]);
  expect(data[0]).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: "conversation.created",
    apiVersion: "v1",
    environment: "test",
    timestamp: created.body.createdAt,
    data: { object: created.body },
    request: { id: created.headers.get("x-request-id"), idempotencyKey: "k-1" },
  });
  const stored = await db().event.findFirstOrThrow({ where: { id: data[0]?.id ?? "" } });
  expect(JSON.parse(stored.payload)).toEqual(data[0]);
  expect((await call(tenant, "GET", "/events?type=message.received")).body.data).toEqual([data[1]]);
  expect(
    (await call(tenant, "GET", `/events?since=${new Date(Date.now() + 60_000).toISOString()}`)).body
      .data,
  ).toEqual([]);
  expect((await call(tenant, "GET", "/events?type=nonsense")).status).toBe(422);
});

test("200 for the account shows the tenant, the key and its limit", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 77, scopes: ["read:usage", "read:agents"] });
  expect((await call(tenant, "GET", "/account")).body).toEqual({
    id: tenant.tenantId,
    name: expect.any(String),
    plan: "FREE",
    environment: "test",
    key: { id: tenant.keyId, name: "key", scopes: ["read:usage", "read:agents"], expiresAt: null },
    rateLimit: { limit: 77, windowSeconds: 60 },
    createdAt: expect.any(String),
  });
});

test("404 for all but one of several concurrent deletions", async () => {
  const tenant = await newTenant();
  const { id } = (await call(tenant, "POST", "/webhooks", valid)).body;
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => call(tenant, "DELETE", `/webhooks/${id}`)),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
});
