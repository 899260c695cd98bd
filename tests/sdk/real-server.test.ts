import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { processDocument } from "@/lib/knowledge/documents/process-document";
import * as sdk from "@/sdk/src/index";
import { signTestWebhook, verifyWebhook } from "@/sdk/src/webhooks";
import { baseUrl, call, newKey, newTenant, type TestTenant } from "../support/api";
import { startReceiver } from "../support/receiver";

const clientOf = ({ key }: Pick<TestTenant, "key">, options: sdk.ParlanceOptions = {}) =>
  new sdk.Parlance(key, { baseUrl: baseUrl(), ...options });

const failure = (promise: Promise<unknown>): Promise<sdk.ApiError> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

async function newClient() {
  const tenant = await newTenant();
  return { tenant, client: clientOf(tenant) };
}

async function withConversations(count: number) {
  const { tenant, client } = await newClient();
  const ids: string[] = [];
  for (let index = 0; index < count; index++)
    ids.unshift((await client.conversations.create({ channelId: "web" })).id);
  return { tenant, client, ids };
}

test("an awaited list is its first page, and its cursor leads to the next", async () => {
  const { client, ids } = await withConversations(5);

  const first = await client.conversations.list({ limit: 3 });
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect(first.nextCursor).toBe(ids[2]);
  const second = await client.conversations.list({ limit: 3, cursor: first.nextCursor });
  expect(second).toEqual({
    data: [expect.objectContaining({ id: ids[3] }), expect.objectContaining({ id: ids[4] })],
  });
});

test("for await visits every item of every page once, and requests no page that it does not need", async () => {
  const { tenant, ids } = await withConversations(7);
  const paths: string[] = [];
  const client = clientOf(tenant, {
    fetch: (url, init) => {
      paths.push(new URL(String(url)).search);
      return fetch(url, init);
    },
  });

  const found: string[] = [];
  for await (const { id } of client.conversations.list({ limit: 2, status: ["OPEN"] }))
    found.push(id);
  expect(found).toEqual(ids);
  expect(paths).toEqual(
    ["", ids[1], ids[3], ids[5]].map(
      (cursor) => `?limit=2&status=OPEN${cursor && `&cursor=${cursor}`}`,
    ),
  );

  paths.length = 0;
  for await (const { id } of client.conversations.list({ limit: 2 })) if (id === ids[2]) break;
  expect(paths).toHaveLength(2);
});

test("pages and toArray return the same items in other portions", async () => {
  const { client, ids } = await withConversations(5);

  const sizes: number[] = [];
  for await (const { data } of client.conversations.list({ limit: 2 }).pages())
    sizes.push(data.length);
  expect(sizes).toEqual([2, 2, 1]);

  const list = () => client.conversations.list({ limit: 2 });
  const idsOf = (items: sdk.Conversation[]) => items.map(({ id }) => id);
  expect(idsOf(await list().toArray({ limit: 3 }))).toEqual(ids.slice(0, 3));
  expect(idsOf(await list().toArray({ limit: Number.POSITIVE_INFINITY }))).toEqual(ids);
  expect(await list().toArray({ limit: 0 })).toEqual([]);
});

test("toArray requests pages as large as it needs, and an unused list requests none", async () => {
  const { tenant, ids } = await withConversations(5);
  const limits: (string | null)[] = [];
  const client = clientOf(tenant, {
    fetch: (url, init) => {
      limits.push(new URL(String(url)).searchParams.get("limit"));
      return fetch(url, init);
    },
  });
  const idsOf = async (limit: number, query = {}) =>
    (await client.conversations.list(query).toArray({ limit })).map(({ id }) => id);
  expect(await idsOf(100)).toEqual(ids);
  expect(await idsOf(250)).toEqual(ids);
  expect(await idsOf(3)).toEqual(ids.slice(0, 3));
  expect(await idsOf(3, { limit: 2 })).toEqual(ids.slice(0, 3));
  expect(limits).toEqual(["100", "100", "3", "2", "2"]);
  client.conversations.list();
  expect(limits).toHaveLength(5);
});

test("withResponse returns status, headers and request id with the data, for one item and for a page", async () => {
  const { client } = await newClient();

  const created = await client.customers.create({ name: "Ada" }).withResponse();
  expect(created.response.status).toBe(201);
  expect(created.requestId).toMatch(/^req_/);
  expect(created.response.headers.get("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
  const page = await client.customers.list().withResponse();
  expect(page.data).toEqual({ data: [created.data] });
});

test("writes do not race: customers by externalId, single tags, versions, and messages to closed conversations", async () => {
  const { client } = await newClient();
  const { customers, conversations } = client;

  const replies = await Promise.all(
    ["Ada", "Ada"].map((name) => customers.upsert("a/b ä", { name }).withResponse()),
  );
  expect(replies.map(({ response }) => response.status).toSorted()).toEqual([200, 201]);
  const { data: customer, etag } = await customers.get(replies[0]?.data.id ?? "").withResponse();
  expect(customer).toMatchObject({ externalId: "a/b ä", name: "Ada" });
  for (const externalId of ["", ".", "..", "\ud800"])
    expect(await failure(customers.upsert(externalId, {}))).toBeInstanceOf(sdk.ParlanceError);

  const renamed = await customers
    .update(customer.id, { name: "Grace" }, { ifMatch: etag })
    .withResponse();
  const late = await failure(customers.update(customer.id, { name: "Eve" }, { ifMatch: etag }));
  expect(late).toBeInstanceOf(sdk.PreconditionFailedError);
  expect(late).toMatchObject({ status: 412, kind: "precondition-failed" });
  await customers.update(customer.id, { name: "Eve" }, { ifMatch: renamed.etag });
  // Without a version, or where it has no effect, nothing is sent.
  for (const call of [
    customers.update(customer.id, { name: "Bob" }, { ifMatch: null }),
    customers.create({ name: "Bob" }, { ifMatch: "*" }),
  ])
    expect(await failure(call)).not.toBeInstanceOf(sdk.ApiError);
  expect((await customers.list()).data).toMatchObject([{ name: "Eve" }]);

  const { id } = await conversations.create({ channelId: "web", tags: ["new"] });
  await conversations.update(id, { status: "CLOSED", addTags: ["vip"], removeTags: ["new"] });
  const message = await conversations.messages.create(id, { text: "Hi", onClosed: "new" });
  expect(message.conversationId).not.toBe(id);
  await conversations.messages.create(id, { text: "Hi", onClosed: "reopen" });
  expect(await conversations.get(id)).toMatchObject({ status: "OPEN", tags: ["vip"] });
  expect(await client.members.list()).toEqual({ data: [] });
});

test("a conversation is created, replied to, snoozed, resolved and closed", async () => {
  const { client } = await newClient();

  const created = await client.conversations.create({
    channelId: "web",
    message: "Hello",
    customer: { externalId: "c-1", name: "Ada" },
    metadata: { plan: "gold" },
  });
  expect(created).toMatchObject({ status: "OPEN", environment: "test", messageCount: 1 });
  const reply = await client.conversations.messages.create(created.id, {
    text: "Hi!",
    author: { type: "AGENT" },
  });
  expect(reply).toMatchObject({ sequence: 2, direction: "OUTBOUND" });
  expect(await client.conversations.messages.get(created.id, reply.id)).toEqual(reply);
  const texts = [];
  for await (const { text } of client.conversations.messages.list(created.id, { limit: 1 }))
    texts.push(text);
  expect(texts).toEqual(["Hello", "Hi!"]);

  const snoozedUntil = new Date(Date.now() + 3_600_000);
  const snoozed = await client.conversations.update(created.id, {
    status: "SNOOZED",
    snoozedUntil,
  });
  expect(snoozed).toMatchObject({ status: "SNOOZED", snoozedUntil: snoozedUntil.toISOString() });
  await client.conversations.update(created.id, { status: "RESOLVED", metadata: { plan: null } });
  expect(await client.conversations.get(created.id)).toMatchObject({
    status: "RESOLVED",
    metadata: {},
  });

  const illegal = await failure(client.conversations.update(created.id, { status: "PENDING" }));
  expect(illegal).toBeInstanceOf(sdk.InvalidTransitionError);
  expect(illegal).toMatchObject({
    status: 409,
    from: "RESOLVED",
    to: "PENDING",
    allowed: ["OPEN", "CLOSED"],
  });
  await client.conversations.update(created.id, { status: "CLOSED" });
  expect(
    await failure(client.conversations.messages.create(created.id, { text: "?" })),
  ).toBeInstanceOf(sdk.ConversationClosedError);
});

test("customers, agents and webhooks are created, read, updated and listed", async () => {
  const { client } = await newClient();

  const customer = await client.customers.create({ externalId: "c-1", email: "Ada@Example.com" });
  expect(await client.customers.update(customer.id, { name: "Ada" })).toMatchObject({
    email: "ada@example.com",
    name: "Ada",
  });
  expect(await client.customers.get(customer.id)).toMatchObject({ name: "Ada" });
  expect((await client.customers.list({ externalId: "c-1" })).data).toHaveLength(1);

  const agent = await client.agents.create({ name: "First answers" });
  expect(agent.status).toBe("DRAFT");
  await client.agents.update(agent.id, { greeting: "Hello!" });
  expect(await client.agents.get(agent.id)).toMatchObject({
    greeting: "Hello!",
    publishedVersion: null,
  });
  expect(await client.agents.list().toArray({ limit: 10 })).toHaveLength(1);

  const webhook = await client.webhooks.create({
    url: "https://example.com/hook",
    events: ["message.*"],
  });
  expect(webhook.secret).toMatch(/^whsec_/);
  expect(await client.webhooks.update(webhook.id, { status: "DISABLED" })).toMatchObject({
    disabledReason: "MANUAL",
  });
  expect(await client.webhooks.get(webhook.id)).not.toHaveProperty("secret");
  expect(await client.webhooks.delete(webhook.id)).toEqual({ id: webhook.id, deleted: true });
  expect((await client.webhooks.list()).data).toEqual([]);
});

test("events are read with their types, and the account says whose key it is", async () => {
  const { tenant, client } = await newClient();
  const customer = await client.customers.create({ name: "Ada" }, { idempotencyKey: "first" });

  const [event] = (await client.events.list({ type: "customer.created" })).data;
  if (event?.type !== "customer.created") expect.fail("another event");
  expect(event.data.object).toEqual(customer);
  expect(event.request?.idempotencyKey).toBe("first");
  expect(await client.account.get()).toMatchObject({
    id: tenant.tenantId,
    environment: "test",
    key: { id: tenant.keyId },
  });
});

test("a lost response is fetched by the retry, and the change is made once", async () => {
  const { tenant } = await newClient();
  let isLost = false;
  const client = clientOf(tenant, {
    wait: async () => {},
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (isLost) return response;
      isLost = true;
      await response.text();
      throw new TypeError("the connection broke");
    },
  });

  const created = await client.conversations
    .create({ channelId: "web", message: "Hello" })
    .withResponse();
  expect(created.response.headers.get("idempotent-replayed")).toBe("true");
  const { data } = await client.conversations.list();
  expect(data.map(({ id }) => id)).toEqual([created.data.id]);
});

test("a given idempotency key makes two calls one, and fails with another body", async () => {
  const { client } = await newClient();
  const idempotencyKey = randomUUID();

  const [first, second] = await Promise.all(
    [1, 2].map(() => client.customers.create({ name: "Ada" }, { idempotencyKey })),
  );
  expect(second).toEqual(first);
  const reused = await failure(client.customers.create({ name: "Bob" }, { idempotencyKey }));
  expect(reused).toBeInstanceOf(sdk.IdempotencyKeyReusedError);
});

test("errors have their class and the details of the API", async () => {
  const { tenant, client } = await newClient();
  const customer = await client.customers.create({ externalId: "c-1" });

  const invalid = await failure(
    client.conversations.create({
      channelId: "",
      subject: 7,
    } as unknown as sdk.CreateConversationBody),
  );
  expect(invalid).toBeInstanceOf(sdk.ValidationError);
  expect(invalid).toMatchObject({
    status: 422,
    kind: "validation",
    requestId: expect.stringMatching(/^req_/),
  });
  expect(invalid.errors.map(({ location, pointer }) => `${location} ${pointer}`)).toEqual([
    "body /channelId",
    "body /subject",
  ]);
  expect(invalid.message).toContain("body /channelId");

  expect(await failure(client.customers.create({ externalId: "c-1" }))).toMatchObject({
    name: "ConflictError",
    existingId: customer.id,
  });
  expect(await failure(client.customers.get("cus_00000000000000000000000000"))).toBeInstanceOf(
    sdk.NotFoundError,
  );
  expect(await failure(client.customers.list({ cursor: "cnv_1" }))).toBeInstanceOf(
    sdk.InvalidCursorError,
  );

  const reader = clientOf(await newKey(tenant, { scopes: ["read:customers"] }));
  const forbidden = await failure(reader.customers.create({ name: "Ada" }));
  expect(forbidden).toBeInstanceOf(sdk.InsufficientScopeError);
  expect(forbidden).toMatchObject({ status: 403, requiredScope: "write:customers" });

  const stranger = clientOf({ key: `prl_test_${"0".repeat(40)}` });
  expect(await failure(stranger.account.get())).toBeInstanceOf(sdk.UnauthorizedError);
});

test("429 of the server is retried after the time it states, and thrown if that is not enough", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 1 });
  const waitsMs: number[] = [];
  const client = clientOf(tenant, {
    maxRetries: 1,
    wait: async (milliseconds) => void waitsMs.push(milliseconds),
  });

  await client.account.get();
  const limited = await failure(client.account.get());
  expect(limited).toBeInstanceOf(sdk.RateLimitedError);
  expect(limited.retryAfter).toBeGreaterThanOrEqual(1);
  expect(waitsMs).toHaveLength(1);
  expect(waitsMs[0]).toBeGreaterThanOrEqual(1_000);
});

test("the environment of the client is what the API says it is", async () => {
  const tenant = await newTenant({ environment: "live" });
  const client = clientOf(tenant);
  expect(client.environment).toBe("live");
  expect((await client.account.get()).environment).toBe("live");
});

test("test, delivery, resend, rotation and recovery of a webhook, each verified by its receiver", async () => {
  const { tenant, client } = await newClient();
  const { environment, tenantId } = tenant;
  const receiver = await startReceiver();
  const hook = await client.webhooks.create({ url: receiver.url, events: ["message.received"] });
  const secrets = [hook.secret];
  const deliver = async (id: string) => {
    await attemptDelivery({ tenantId, environment, id });
    const { body, headers } = receiver.requests.at(-1) ?? expect.fail("nothing arrived");
    return verifyWebhook({
      payload: body,
      header: headers["x-service-signature"] as string,
      secrets,
    });
  };

  const tested = await client.webhooks.test(hook.id);
  expect(await deliver(tested.id)).toMatchObject({
    type: "webhook.test",
    data: { object: { id: hook.id } },
  });

  const { id: conversationId } = await client.conversations.create({
    channelId: "web",
    message: "Hello",
  });
  const [delivery] = await client.webhooks.deliveries
    .list(hook.id, { eventType: "message.received" })
    .toArray({ limit: 10 });
  if (!delivery) expect.fail("no delivery was made");
  const event = await deliver(delivery.id);
  if (event.type !== "message.received") expect.fail("another event");
  expect(event.data.object).toMatchObject({ conversationId, text: "Hello" });
  expect(await client.events.get(event.id)).toEqual(event);
  expect(await client.webhooks.deliveries.get(hook.id, delivery.id)).toMatchObject({
    status: "DELIVERED",
    attempts: [{ statusCode: 200 }],
  });

  const rotated = await client.webhooks.rotateSecret(hook.id);
  expect(await failure(client.webhooks.rotateSecret(hook.id))).toBeInstanceOf(
    sdk.RotationInProgressError,
  );
  secrets.splice(0, 1, rotated.secret);
  await client.webhooks.deliveries.resend(hook.id, delivery.id);
  expect(await deliver(delivery.id)).toEqual(event);

  expect(await client.webhooks.recover(hook.id, { since: new Date(0), dryRun: true })).toEqual({
    count: 0,
  });
  await receiver.close();
});

test("a document is uploaded as a file or as text, read, found and deleted", async () => {
  const { tenant, client } = await newClient();
  const { tenantId, environment } = tenant;
  const base = await client.knowledgeBases.create({ name: "Help" });
  expect(await client.knowledgeBases.get(base.id)).toEqual(base);
  expect((await client.knowledgeBases.list()).data).toEqual([base]);

  const { upload } = client.knowledgeBases.documents;
  const file = new File(["Parcels arrive on Tuesdays."], "Grüße aus Köln.txt");
  const documents = [
    await upload(base.id, { file, metadata: { source: "crm", pages: 1 } }),
    await upload(base.id, {
      file: new TextEncoder().encode("# Returns\n\nSend it back within 30 days."),
      name: "returns.md",
    }),
    await upload(base.id, { name: "Hours", text: "We are open from nine to five." }),
  ];
  expect(documents.map(({ name }) => name)).toEqual(["Grüße aus Köln.txt", "returns.md", "Hours"]);
  expect(documents.map(({ status }) => status)).toEqual(["PENDING", "PENDING", "PENDING"]);
  expect(documents[0]?.metadata).toEqual({ source: "crm", pages: 1 });
  expect(await failure(upload(base.id, { file }))).toMatchObject({
    name: "ConflictError",
    existingId: documents[0]?.id,
  });
  expect(
    await failure(
      upload(base.id, { file: new Blob([new Uint8Array([137, 80, 78, 71])]), name: "a.png" }),
    ),
  ).toMatchObject({
    status: 415,
  });

  for (const { id } of documents) await processDocument({ tenantId, environment, id });
  const ready = await client.knowledgeBases.documents
    .list(base.id, { status: "READY" })
    .toArray({ limit: 10 });
  expect(ready.map(({ id }) => id)).toEqual(documents.map(({ id }) => id).reverse());
  const { data } = await client.knowledgeBases.search(base.id, { q: "tuesdays", limit: 3 });
  expect(data).toMatchObject([
    {
      documentId: documents[0]?.id,
      text: expect.stringContaining("Tuesdays"),
      ranges: [expect.any(Array)],
    },
  ]);

  const [, returns] = documents;
  if (!returns) expect.fail("it was not uploaded");
  expect(await client.knowledgeBases.documents.delete(base.id, returns.id)).toEqual({
    id: returns.id,
    deleted: true,
  });
  expect(await failure(client.knowledgeBases.documents.get(base.id, returns.id))).toBeInstanceOf(
    sdk.NotFoundError,
  );
});

test("a file whose response is lost is stored once", async () => {
  const { tenant } = await newClient();
  let isLost = false;
  const client = clientOf(tenant, {
    wait: async () => {},
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (isLost || !String(url).endsWith("/documents")) return response;
      isLost = true;
      await response.text();
      throw new TypeError("the connection broke");
    },
  });
  const { id } = await client.knowledgeBases.create({ name: "Help" });

  const uploaded = await client.knowledgeBases.documents
    .upload(id, { file: new Blob(["Parcels"]), name: "a.txt" })
    .withResponse();
  expect(uploaded.response.headers.get("idempotent-replayed")).toBe("true");
  expect((await client.knowledgeBases.documents.list(id)).data).toEqual([uploaded.data]);
});

test("usage is returned for the month, and event types with their schemas and examples", async () => {
  const { client } = await newClient();
  // A month may begin before the request.
  const from = new Date().toISOString().slice(0, 10);
  await client.conversations.create({ channelId: "web", message: "Hello" });

  const usage = await client.usage.get({ from });
  expect(usage).toMatchObject({
    environment: "test",
    billable: false,
    totals: { conversationsCreated: 1, messagesReceived: 1 },
  });
  const { data } = await client.events.types();
  expect(data.map(({ type }) => type)).toContain("message.received");
  expect(data.every(({ type, example }) => example.type === type)).toBe(true);
});

test("a receiver's verification accepts an event as the API lists it", async () => {
  const { tenant, client } = await newClient();
  await client.customers.create({ name: "Ada" });
  const [event] = (await call(tenant, "GET", "/events")).body.data;

  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const signed = await signTestWebhook({ payload: event, secret });
  expect(
    await verifyWebhook({
      payload: signed.payload,
      header: signed.headers["X-Service-Signature"],
      secret,
    }),
  ).toEqual(event);
});
