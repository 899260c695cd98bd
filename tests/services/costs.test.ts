import { afterAll, beforeAll, expect, test } from "vitest";
import { generateKey } from "@/lib/api-keys/key-format";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { baseUrl, call, newTenant, type TestTenant } from "../support/api";
import { type Cost, costOf, type Sent, startOtherSide, stopAutovacuum } from "../support/costs";
import { indexCanReachAll, searchFindsAll } from "../support/search";

// Guards against slow operations that need no clock: what each costs in statements, rows, index
// entries, bytes of PostgreSQL's log and JavaScript objects. `SHOW_COSTS=yes npx vitest run
// tests/services/costs.test.ts` shows today's costs and statements.

/**
 * What each operation may cost at most. Lower a bound when its cost falls.
 *
 * Statements, rows and index entries are exact. The fraction is for what is written in batches, once
 * a second: usage and when a key was last used. The row of the request log and its index entries
 * are included. The log has a fifth to spare, because a page is split now and then; objects have a
 * third, because V8 optimizes at moments of its own.
 */
const costBounds: Record<string, readonly number[]> = {
  // statements, rows, of those moved, index entries, bytes of log, KB of objects
  "list conversations": [1, 1.9, 0.5, 2.9, 720, 75],
  "get a conversation": [1, 1.9, 0.5, 2.9, 760, 75],
  "list messages": [2, 1.9, 0.5, 2.9, 760, 155],
  "create a conversation": [1, 3.9, 0.5, 9.9, 3_640, 85],
  "create a conversation, with a key": [1, 4.9, 0.5, 12.9, 5_040, 90],
  // Two index entries are those of the orders by name and by last change, in the dashboard.
  "create a customer": [1, 3.9, 0.5, 12.9, 4_900, 95],
  "create a conversation with a new customer": [2, 6.9, 0.5, 21.9, 7_700, 130],
  // The customer's row moves if its page is full, which takes 6 more index entries.
  "create a conversation with a customer": [2, 5.9, 1.5, 18.9, 6_200, 115],
  "change a conversation": [2, 4.9, 1.5, 11.9, 4_250, 115],
  "change a customer": [2, 4.9, 1.5, 13.9, 4_400, 105],
  // One index entry is that of the search (docs/decisions/0015-search-in-postgresql.md).
  "post a message": [2, 5.9, 1.5, 18.9, 5_600, 95],
  "post a message, with a key": [2, 6.9, 1.5, 21.9, 6_850, 100],
  "idempotent replay": [1, 1.9, 0.5, 3.9, 1_430, 75],
  "422, without a field": [0, 1.9, 0.5, 3.9, 1_290, 60],
  "401, with an unknown key": [1, 0.9, 0.5, 0.9, 200, 50],
  // How many share a batch varies, and so does what each has of the batch's counters. On a busy
  // machine, batches are small.
  "a delivery that succeeds": [0, 3.5, 2.2, 6.9, 2_400, 65],
  // Later, by the job. Without the list of the index (prisma/beyond-schema.sql), it has 2,848 bytes
  // of log.
  "a message that is indexed": [0, 1.9, 0.5, 1.9, 1_020, 25],
};
const columns = [
  "statements",
  "rows",
  "rowsMoved",
  "indexEntries",
  "logBytes",
  "objectsKb",
] as const satisfies (keyof Cost)[];

const count = 100;
let otherSide: Awaited<ReturnType<typeof startOtherSide>>;
beforeAll(async () => {
  otherSide = await startOtherSide(baseUrl());
  await stopAutovacuum();
});
afterAll(async () => {
  await otherSide.end();
});

type Hot = {
  status: number;
  /** What to send the nth time. */
  request: (tenant: TestTenant, conversationId: string, n: number) => Sent;
};

const conversations = "/v1/public/conversations";
const get = (path: string, key: string, headers = {}): Sent => ({
  method: "GET",
  path,
  headers: { authorization: `Bearer ${key}`, ...headers },
});
const post = (path: string, key: string, body: object, idempotencyKey?: string): Sent => ({
  method: "POST",
  path,
  headers: {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
  },
  body: JSON.stringify(body),
});
const text = "Where is my order? It should have been here yesterday.";

const name = "Ada Lovelace";

const hot: Record<string, Hot> = {
  "list conversations": { status: 200, request: ({ key }) => get(conversations, key) },
  "get a conversation": {
    status: 200,
    request: ({ key }, id) => get(`${conversations}/${id}`, key),
  },
  "list messages": {
    status: 200,
    request: ({ key }, id) => get(`${conversations}/${id}/messages`, key),
  },
  "create a conversation": {
    status: 201,
    request: ({ key }) => post(conversations, key, { channelId: "web" }),
  },
  "create a conversation, with a key": {
    status: 201,
    request: ({ key }, _, n) => post(conversations, key, { channelId: "web" }, `create-${n}`),
  },
  "create a customer": {
    status: 201,
    request: ({ key }, _, n) =>
      post("/v1/public/customers", key, {
        externalId: `user_${n}`,
        name: `Ada Lovelace ${n}`,
        email: `ada-${n}@example.com`,
      }),
  },
  "create a conversation with a new customer": {
    status: 201,
    request: ({ key }, _, n) =>
      post(conversations, key, { channelId: "web", customer: { externalId: `user_${n}`, name } }),
  },
  "create a conversation with a customer": {
    status: 201,
    // Twice for each externalId: the first time is before costs are measured.
    request: ({ key }, _, n) =>
      post(conversations, key, {
        channelId: "web",
        customer: { externalId: `user_${n % count}`, name },
      }),
  },
  "change a conversation": {
    status: 200,
    request: ({ key }, id, n) => ({
      ...post(`${conversations}/${id}`, key, { subject: `Parcel ${n}` }),
      method: "PATCH",
    }),
  },
  "change a customer": {
    status: 200,
    request: ({ key }, _, n) => ({
      ...post("/v1/public/customers/by-external-id/ada", key, { name: `Ada ${n}` }),
      method: "PUT",
    }),
  },
  "post a message": {
    status: 201,
    request: ({ key }, id) => post(`${conversations}/${id}/messages`, key, { text }),
  },
  "post a message, with a key": {
    status: 201,
    request: ({ key }, id, n) =>
      post(`${conversations}/${id}/messages`, key, { text }, `message-${n}`),
  },
  "idempotent replay": {
    status: 201,
    request: ({ key }) => post(conversations, key, { channelId: "web" }, "replay"),
  },
  "422, without a field": { status: 422, request: ({ key }) => post(conversations, key, {}) },
  "401, with an unknown key": {
    status: 401,
    request: () => get(conversations, generateKey("test").key),
  },
};

test.each(Object.keys(hot))("%s costs no more than its bounds", async (name) => {
  const { status, request } = hot[name] as Hot;
  const tenant = await newTenant();
  const created = await call(tenant, "POST", "/conversations", { channelId: "web" });
  await call(tenant, "POST", "/customers", { externalId: "ada", name });
  await call(tenant, "POST", "/webhooks", {
    url: "https://example.com/hook",
    events: ["message.received"],
  });
  let sent = 0;
  const send = async () => {
    const requests = Array.from({ length: count }, () => request(tenant, created.body.id, sent++));
    expect(new Set(await otherSide.send(requests))).toEqual(new Set([status]));
  };
  // The first requests compile what they run.
  await send();

  requireWithin(name, await costOf(count, send));
});

test("a delivery that succeeds costs no more than its bounds", async () => {
  const tenant = await newTenant();
  const created = await call(tenant, "POST", "/conversations", { channelId: "web" });
  await call(tenant, "POST", "/webhooks", { url: otherSide.receiverUrl, events: ["*"] });
  const path = `${conversations}/${created.body.id}/messages`;
  const raise = () =>
    otherSide.send(Array.from({ length: count }, () => post(path, tenant.key, { text })));
  const deliver = async (total: number) => {
    const worker = startDelivering();
    await otherSide.received(total);
    // Records what has been sent.
    await worker.stop();
  };
  await raise();
  await deliver(count);
  await raise();

  requireWithin("a delivery that succeeds", await costOf(count, () => deliver(2 * count)));
});

test("a message that is indexed for the search costs no more than its bounds", async () => {
  const tenant = await newTenant();
  const created = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const path = `${conversations}/${created.body.id}/messages`;
  const raise = () =>
    otherSide.send(Array.from({ length: count }, () => post(path, tenant.key, { text })));
  await raise();
  await searchFindsAll();
  await raise();
  // Waiting costs statements, too.
  await indexCanReachAll();

  requireWithin("a message that is indexed", await costOf(count, searchFindsAll));
});

function requireWithin(name: string, cost: Cost): void {
  if (process.env.SHOW_COSTS) process.stdout.write(`${name}: ${JSON.stringify(cost)}\n`);
  const exceeded = columns.filter(
    (column, index) => cost[column] > (costBounds[name]?.[index] ?? -1),
  );
  expect(exceeded, `${name}: ${JSON.stringify(cost, null, 1)}`).toEqual([]);
}
