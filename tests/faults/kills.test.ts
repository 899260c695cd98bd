import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { type Identity, mutate } from "@/lib/caller";
import { db } from "@/lib/db";
import { createTenant } from "@/lib/tenants/service";
import { startProduct } from "../support/product";
import { type Receiver, startReceiver } from "../support/receiver";

const kills = Number(process.env.KILLS ?? 20);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const writers = 8;

let product: Awaited<ReturnType<typeof startProduct>>;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startProduct({ WEBHOOK_RETRY_SCHEDULE: "1,1,1,1,1,1,1", SOLE_WORKER: "true" });
}, 60_000);

afterAll(async () => {
  await product?.stop();
  await receiver?.close();
});

async function newKey(): Promise<{ key: string; tenantId: string }> {
  const { id: tenantId } = await createTenant(db(), { name: "Faults" });
  const identity: Identity = {
    partition: { tenantId, environment: "test" },
    actor: { type: "OPERATOR", id: "tests" },
    request: null,
    address: null,
  };
  const input = { name: "faults", scopes: [...scopes], rateLimitPerMinute: 1_000_000 };
  return { tenantId, key: (await mutate(identity, (caller) => createApiKey(caller, input))).key };
}

type Reply = { status: number; body: { id: string; secret?: string } };

/** Sends until there is an answer; what may have been done already is asked for with the same idempotency key again. */
async function insist(key: string, path: string, body: object, idempotencyKey: string): Promise<Reply> {
  for (;;) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": idempotencyKey };
    const reply = await fetch(`${product.url}/v1/public${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    }).then(
      async (response) => ({ status: response.status, body: (await response.json()) as Reply["body"] }),
      () => null,
    );
    if (reply && reply.status < 500 && reply.status !== 409) return reply;
    await sleep(20);
  }
}

test(`nothing acknowledged is lost and nothing is done twice over ${kills} kills (seed ${seed})`, { timeout: 240_000 }, async () => {
  process.stdout.write(`faults: ${kills} kills, seed ${seed}\n`);
  const random = randomFrom(seed);
  const { key, tenantId } = await newKey();
  const webhook = await insist(key, "/webhooks", { url: receiver.url, events: ["*"] }, "webhook");
  expect(webhook.status).toBe(201);

  const acknowledged: { conversationId: string; messageId: string; label: string }[] = [];
  let isOver = false;
  const write = async (writer: number) => {
    for (let index = 0; !isOver; index++) {
      const label = `${writer}-${index}`;
      const customer = index % 3 === 0 ? { customer: { externalId: label } } : {};
      const conversation = await insist(key, "/conversations", { channelId: "web", externalId: label, ...customer }, `c-${label}`);
      const message = await insist(key, `/conversations/${conversation.body.id}/messages`, { text: "Hi", externalId: label }, `m-${label}`);
      expect([conversation.status, message.status]).toEqual([201, 201]);
      acknowledged.push({ conversationId: conversation.body.id, messageId: message.body.id, label });
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

  for (let kill = 0; kill < kills; kill++) {
    await sleep(50 + random() * 400);
    const part = random() < 0.5 ? "web" : "worker";
    await product.kill(part);
    product.start(part);
    if (part === "web") await product.ready();
  }
  isOver = true;
  await writing;

  const where = { tenantId };
  const conversations = await db().conversation.findMany({ where });
  const messages = await db().message.findMany({ where });
  const events = await db().event.findMany({ where });
  expect(acknowledged.length).toBeGreaterThan(kills);

  // Nothing acknowledged is lost, and one key had one effect.
  const conversationIds = new Set(conversations.map(({ id }) => id));
  const messageIds = new Set(messages.map(({ id }) => id));
  for (const { conversationId, messageId } of acknowledged) {
    expect(conversationIds.has(conversationId)).toBe(true);
    expect(messageIds.has(messageId)).toBe(true);
  }
  expect(new Set(conversations.map(({ externalId }) => externalId)).size).toBe(conversations.length);
  expect(new Set(messages.map(({ externalId }) => externalId)).size).toBe(messages.length);

  // No event without its row, no row without its event.
  const objectIds = (type: string) =>
    events
      .filter((event) => event.type === type)
      .map(({ payload }) => (JSON.parse(payload) as { data: { object: { id: string } } }).data.object.id);
  expect(objectIds("conversation.created").toSorted()).toEqual([...conversationIds].toSorted());
  expect(objectIds("message.received").toSorted()).toEqual([...messageIds].toSorted());
  expect(objectIds("customer.created")).toHaveLength(await db().customer.count({ where }));

  // Every event arrives.
  await expect
    .poll(() => db().delivery.count({ where: { ...where, status: { not: "DELIVERED" } } }), { timeout: 60_000, interval: 250 })
    .toBe(0);
  const received = new Set(receiver.requests.map(({ headers }) => headers["x-service-event-id"]));
  for (const { id } of events) expect(received.has(id)).toBe(true);
  const repeated = receiver.requests.length - received.size;
  process.stdout.write(
    `faults: ${acknowledged.length * 2} acknowledged writes, ${events.length} events, ${repeated} of them received more than once\n`,
  );
});

test("an event whose receiver was down, and whose senders were killed, arrives once all are back", { timeout: 60_000 }, async () => {
  const { key } = await newKey();
  const late = await startReceiver();
  const { port } = new URL(late.url);
  await late.close();
  await insist(key, "/webhooks", { url: late.url, events: ["message.received"] }, "webhook");
  const { body } = await insist(key, "/conversations", { channelId: "web", message: "Are you there?" }, "conversation");
  await Promise.all([product.kill("web"), product.kill("worker")]);

  const back = await startReceiver(undefined, Number(port));
  product.start("web");
  product.start("worker");
  await back.received(1);

  expect(JSON.parse(back.requests[0]?.body ?? "")).toMatchObject({
    type: "message.received",
    data: { object: { conversationId: body.id } },
  });
  await back.close();
});

/** Mulberry32: the same moments for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
