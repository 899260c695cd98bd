import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { createAgentBody } from "@/lib/agents/schema";
import { createAgent } from "@/lib/agents/service";
import { publishAgent } from "@/lib/agents/versions";
import { findStoredResponse } from "@/lib/api/idempotency";
import { createMessageBody } from "@/lib/conversations/message-schema";
import {
  getMessage,
  listMessages,
  postMessage,
  postMessageInOneStatement,
} from "@/lib/conversations/messages";
import {
  type Conversation,
  type CreateConversation,
  conversationStatuses,
  createConversationBody,
  type listConversationsQuery,
  updateConversationBody,
} from "@/lib/conversations/schema";
import {
  createConversation,
  createConversationInOneStatement,
  getConversation,
  listConversations,
} from "@/lib/conversations/service";
import { updateConversation, updateConversationInOneStatement } from "@/lib/conversations/update";
import { createCustomerBody, upsertCustomerBody } from "@/lib/customers/schema";
import { createCustomer, getCustomer, listCustomers } from "@/lib/customers/service";
import { updateCustomer, updateCustomerInOneStatement } from "@/lib/customers/update";
import type { IdempotencyRecord } from "@/lib/events/idempotency-record";
import { getPayload } from "@/lib/events/service";
import { type Identity, mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { changeSql } from "@/lib/platform/change-sql";
import { db, pool, runSql } from "@/lib/platform/db";
import type { AppError } from "@/lib/platform/errors";
import { toTimestamp } from "@/lib/platform/response-types";
import { sql } from "@/lib/platform/sql";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import type { CreateWebhook } from "@/lib/webhooks/schema";
import { createWebhook, updateWebhook } from "@/lib/webhooks/service";

// The busiest operations have hand-written statements. Each must do what Prisma's models do.

const newPartition = async (): Promise<Partition> => ({
  tenantId: (await createTenant(db(), { name: "Statements" })).id,
  environment: "test",
});

const text = fc.oneof(
  fc.constantFrom("a", "web", 'quotes " and \\', "{a,b}", "NULL", " "),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((t) => !t.includes("\0")),
);
const metadata = fc.dictionary(
  text.filter((name) => name !== "__proto__"),
  fc.oneof(text, fc.boolean(), fc.integer()),
);
const time = fc
  .date({ min: new Date("1970-01-01"), max: new Date("9998-12-31"), noInvalidDate: true })
  .map((date) => new Date(date.getTime() - (date.getTime() % 50)));
const status = fc.constantFrom(...conversationStatuses);

const conversationRow = fc.record({
  status,
  channelId: text,
  subject: fc.option(text),
  priority: fc.constantFrom("LOW", "NORMAL", "HIGH", "URGENT"),
  tags: fc.uniqueArray(text, { maxLength: 3 }),
  metadata,
  externalId: fc.option(text),
  messageCount: fc.nat(),
  lastMessageAt: fc.option(time),
  lastMessagePreview: fc.option(text),
  snoozedUntil: fc.option(time),
  resolvedAt: fc.option(time),
  closedAt: fc.option(time),
  createdAt: time,
});

/** A row of Prisma's as the API returns it. */
const returned = ({ tenantId: _tenant, ...row }: { tenantId: string }) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : value,
    ]),
  );

test("conversations are listed and read as Prisma reads them, with every filter and order", async () => {
  const rows = fc.array(conversationRow, { minLength: 1, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.nat(),
      fc.integer({ min: 1, max: 9 }),
      async (drafts, seed, limit) => {
        const partition = await newPartition();
        const caller = reader(system(partition));
        const data = drafts.map((row) => ({
          ...row,
          ...partition,
          id: newId("conversation", row.createdAt),
          updatedAt:
            row.lastMessageAt && row.lastMessageAt > row.createdAt
              ? row.lastMessageAt
              : row.createdAt,
        }));
        await db().conversation.createMany({ data });
        const picked = data[seed % data.length] ?? data[0];
        if (!picked) return;

        const filters = [
          {},
          { status: [picked.status] },
          { status: [...conversationStatuses].slice(0, 1 + (seed % 5)) },
          { channelId: picked.channelId },
          { externalId: picked.externalId ?? "none" },
          { tag: picked.tags[0] ?? "none" },
          { updatedSince: picked.updatedAt },
          { status: [picked.status], channelId: picked.channelId },
        ];
        const order = seed % 2 === 0 ? "asc" : "desc";
        const cursor = seed % 3 === 0 ? picked.id : undefined;
        for (const filter of filters) {
          const { status, tag, updatedSince, ...equal } = filter as z.output<
            typeof listConversationsQuery
          >;
          const found = await db().conversation.findMany({
            where: {
              ...partition,
              ...equal,
              ...(status && { status: { in: status } }),
              ...(tag && { tags: { has: tag } }),
              ...(updatedSince && { updatedAt: { gte: updatedSince } }),
              ...(cursor && { id: order === "asc" ? { gt: cursor } : { lt: cursor } }),
            },
            orderBy: { id: order },
            take: limit,
          });
          const page = await listConversations(caller, { ...filter, order, limit, cursor });
          expect(page.data).toEqual(found.map(returned));
        }
        const found = await db().conversation.findMany({ where: partition });
        for (const ids of [[picked.id], found.map(({ id }) => id)]) {
          const read = await Promise.all(ids.map((id) => getConversation(caller, id)));
          expect(read).toEqual(found.filter(({ id }) => ids.includes(id)).map(returned));
        }
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
});

const customerRow = fc.record({
  externalId: fc.option(text),
  name: fc.option(text),
  email: fc.option(text),
  phone: fc.option(text),
  locale: fc.option(text),
  metadata,
  searchWords: fc.constant([] as string[]),
  conversationCount: fc.nat(),
  createdAt: time,
  updatedAt: time,
  erasedAt: fc.option(time),
});

const customerRows = fc.uniqueArray(customerRow, {
  minLength: 1,
  maxLength: 15,
  selector: ({ externalId }) => externalId ?? {},
});

async function createCustomers(
  partition: Partition,
  rows: typeof customerRows extends fc.Arbitrary<infer Rows> ? Rows : never,
) {
  const data = rows.map((row) => ({ ...row, ...partition, id: newId("customer", row.createdAt) }));
  await db().customer.createMany({ data });
  return data;
}

test("customers are listed as Prisma reads them, with every equal filter and order", async () => {
  const query = fc.record({
    order: fc.constantFrom("asc", "desc"),
    limit: fc.integer({ min: 1, max: 9 }),
    picked: fc.nat(),
    isNextPage: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(customerRows, query, async (drafts, { order, limit, picked, isNextPage }) => {
      const partition = await newPartition();
      const caller = reader(system(partition));
      const customers = await createCustomers(partition, drafts);
      const one = customers[picked % customers.length];
      if (!one) return;
      const [email, phone, externalId] = [
        one.email ?? "none",
        one.phone ?? "none",
        one.externalId ?? "none",
      ];
      const cursor = isNextPage ? one.id : undefined;
      for (const filter of [
        {},
        { email },
        { phone },
        { externalId },
        { email, phone, externalId },
      ]) {
        const found = await db().customer.findMany({
          where: {
            ...partition,
            ...filter,
            ...(cursor && { id: order === "asc" ? { gt: cursor } : { lt: cursor } }),
          },
          omit: { searchWords: true },
          orderBy: { id: order },
          take: limit,
        });
        const page = await listCustomers(caller, { ...filter, order, limit, cursor });
        expect(page.data).toEqual(found.map(returned));
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

test("customers and events are read as Prisma reads them, one and many together", async () => {
  await fc.assert(
    fc.asyncProperty(customerRows, async (drafts) => {
      const partition = await newPartition();
      const caller = reader(system(partition));
      const customers = await createCustomers(partition, drafts);
      const events = drafts.map((row) => ({
        ...partition,
        id: newId("event"),
        type: "customer.created",
        payload: JSON.stringify(row),
        createdAt: row.createdAt,
      }));
      await db().event.createMany({ data: events });

      for (const count of [1, drafts.length]) {
        const expected = customers.slice(0, count).map(({ searchWords: _words, ...row }) => row);
        expect(await Promise.all(expected.map(({ id }) => getCustomer(caller, id)))).toEqual(
          expected.map(returned),
        );
        const sent = events.slice(0, count);
        expect(await Promise.all(sent.map(({ id }) => getPayload(caller, id)))).toEqual(
          sent.map(({ payload }) => payload),
        );
      }
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

const messageBody = fc
  .record(
    {
      text,
      author: fc.record(
        {
          type: fc.constantFrom("CUSTOMER", "USER", "AGENT", "API", "SYSTEM"),
          id: fc.option(text),
          name: fc.option(text),
        },
        { requiredKeys: ["type"] },
      ),
      externalId: fc.option(text),
      metadata,
    },
    { requiredKeys: ["text"] },
  )
  .map((body) => createMessageBody.parse(body));

const conversationBody = fc
  .record(
    {
      channelId: text,
      message: fc.record(
        { text, externalId: fc.option(text), metadata },
        { requiredKeys: ["text"] },
      ),
      subject: fc.option(text),
      priority: fc.constantFrom("LOW", "HIGH"),
      tags: fc.uniqueArray(text, { maxLength: 3 }),
      metadata,
      externalId: fc.option(text),
    },
    { requiredKeys: ["channelId"] },
  )
  .map((body) => createConversationBody.parse(body));

const identityOf = (partition: Partition): Identity => ({
  ...system(partition),
  request: { id: "req_1", idempotencyKey: null },
});

async function newPartitionWithWebhook(): Promise<Partition> {
  const partition = await newPartition();
  await mutate(system(partition), (caller) =>
    createWebhook(caller, {
      url: "http://127.0.0.1:9/",
      events: ["*"],
      metadata: {},
      description: null,
    }),
  );
  return partition;
}

/** Everything that a tenant has written, without ids and times. */
async function written(partition: Partition): Promise<string> {
  const query = { where: partition, orderBy: { id: "asc" } } as const;
  const tables = [
    await db().customer.findMany(query),
    await db().conversation.findMany(query),
    await db().message.findMany({ where: partition, orderBy: { sequence: "asc" } }),
    await db().event.findMany({ ...query, omit: { expiresAt: true } }),
    await db().delivery.findMany({ where: partition, orderBy: { eventId: "asc" } }),
  ];
  return withoutIdsAndTimes(tables);
}

const withoutIdsAndTimes = (tables: object[]): string =>
  JSON.stringify(tables, null, 1)
    .replaceAll(/\b([a-z]{3})_[0-9A-Z]{26}\b/g, "$1_…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)");

test("one statement creates what Prisma's models create: rows, events and deliveries", async () => {
  const bodies = fc.tuple(conversationBody, fc.array(messageBody, { maxLength: 4 }));
  await fc.assert(
    fc.asyncProperty(bodies, async ([body, messages]) => {
      const [one, other] = [await newPartitionWithWebhook(), await newPartitionWithWebhook()];

      const byModels = await mutate(identityOf(one), (caller) => createConversation(caller, body));
      for (const message of messages)
        await mutate(identityOf(one), (caller) => postMessage(caller, byModels.id, message));

      const response = await createConversationInOneStatement(
        identityOf(other),
        body,
        null,
        JSON.stringify,
      );
      const { id } = JSON.parse(response ?? "") as { id: string };
      for (const message of messages) {
        const posted = await postMessageInOneStatement(
          identityOf(other),
          id,
          message,
          null,
          JSON.stringify,
        );
        const { id: messageId } = JSON.parse(posted ?? "") as { id: string };
        expect(await getMessage(reader(system(other)), id, messageId)).toEqual(
          JSON.parse(posted ?? ""),
        );
      }

      expect(await written(other)).toBe(await written(one));
      const page = await listMessages(reader(system(other)), id, { order: "asc", limit: 100 });
      const stored = await db().message.findMany({ where: other, orderBy: { sequence: "asc" } });
      expect(page.data).toEqual(
        stored.map(returned).map(({ authorType, authorId, authorName, ...row }) => ({
          ...row,
          attachments: [],
          author: { type: authorType, id: authorId, name: authorName },
        })),
      );
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

const customerFields = {
  name: fc.option(text),
  email: fc.option(fc.constantFrom("ada@example.com", "grace@example.com")),
  phone: fc.option(fc.constantFrom("+4930123456", "+14155550100")),
  locale: fc.option(fc.constantFrom("de-AT", "en")),
};
const customerBody = fc
  .record(
    { ...customerFields, externalId: fc.constantFrom("known", "new", null), metadata },
    { requiredKeys: [] },
  )
  .filter((body) => createCustomerBody.safeParse(body).success)
  .map((body) => createCustomerBody.parse(body));

/** What conversations can refer to: a customer with the externalId `known`, and a published agent. */
async function newReferences(partition: Partition) {
  const { id: customerId } = await mutate(identityOf(partition), (caller) =>
    createCustomer(caller, { externalId: "known", name: "Ada" }),
  );
  const { id: agentId } = await mutate(identityOf(partition), (caller) =>
    createAgent(caller, createAgentBody.parse({ name: "Agent" })),
  );
  await mutate(identityOf(partition), (caller) => publishAgent(caller, agentId));
  return { customerId, agentId };
}

test("one statement creates what Prisma's models create with a customer, new or not, and an agent", async () => {
  const reference = fc.record({
    customer: fc.option(fc.oneof(customerBody, fc.constant("existing" as const))),
    hasAgent: fc.boolean(),
  });
  const drafts = fc.array(fc.tuple(conversationBody, reference), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(drafts, async (conversations) => {
      const [one, other] = [await newPartitionWithWebhook(), await newPartitionWithWebhook()];
      const [ofOne, ofOther] = [await newReferences(one), await newReferences(other)];
      for (const [body, { customer, hasAgent }] of conversations) {
        const refers = ({ customerId, agentId }: typeof ofOne): CreateConversation => ({
          ...body,
          ...(customer === "existing" ? { customerId } : customer && { customer }),
          ...(hasAgent && { agentId }),
        });
        await mutate(identityOf(one), (caller) => createConversation(caller, refers(ofOne)));
        const response = await createConversationInOneStatement(
          identityOf(other),
          refers(ofOther),
          null,
          JSON.stringify,
        );
        const created = JSON.parse(response ?? "") as { id: string };
        expect(await getConversation(reader(system(other)), created.id)).toEqual(created);
      }
      expect(await written(other)).toBe(await written(one));
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

const conversationPatch = fc
  .record(
    {
      status: fc.constantFrom(...conversationStatuses),
      snoozedUntil: fc.constantFrom(null, new Date(Date.now() + 3_600_000).toISOString()),
      assigneeId: fc.constant(null),
      agentId: fc.constant(null),
      subject: fc.option(text),
      priority: fc.constantFrom("LOW", "URGENT"),
      tags: fc.uniqueArray(text, { maxLength: 3 }),
      externalId: fc.option(text),
      metadata: fc.dictionary(
        fc.constantFrom("a", "b", "10", "9", "bb", "ä", "🙂"),
        fc.oneof(text, fc.integer(), fc.constant(null), fc.constant(-0)),
      ),
    },
    { requiredKeys: [] },
  )
  .map((body) => updateConversationBody.parse(body));

const customerPatch = fc
  .record({ ...customerFields, metadata }, { requiredKeys: [] })
  .filter((body) => upsertCustomerBody.safeParse(body).success)
  .map((body) => upsertCustomerBody.parse(body));

/** Its response as text, or the kind of its error. */
const outcomeOf = (change: Promise<object>): Promise<string> =>
  change.then(
    (response) => withoutIdsAndTimes([response]),
    (error: AppError) => error.kind,
  );

test("one statement changes what Prisma's models change, and its response has the order of the stored row", async () => {
  const drafts = fc.record({
    conversation: conversationBody,
    patches: fc.array(
      fc.oneof(
        conversationPatch.map((patch) => ({ conversation: patch })),
        customerPatch.map((patch) => ({ customer: patch })),
      ),
      { minLength: 1, maxLength: 6 },
    ),
  });
  let inOneStatement = 0;
  await fc.assert(
    fc.asyncProperty(drafts, async ({ conversation, patches }) => {
      const [one, other] = [await newPartitionWithWebhook(), await newPartitionWithWebhook()];
      const body = { ...conversation, customer: { externalId: "known", name: "Ada" } };
      const create = (partition: Partition) =>
        mutate(identityOf(partition), (caller) => createConversation(caller, body));
      const [ofOne, ofOther] = [await create(one), await create(other)];
      for (const patch of patches) {
        const byModels = (partition: Partition, { id, customerId }: Conversation) =>
          mutate<object>(identityOf(partition), (caller) =>
            "customer" in patch
              ? updateCustomer(caller, customerId ?? "", patch.customer)
              : updateConversation(caller, id, patch.conversation),
          );
        const made =
          "customer" in patch
            ? await updateCustomerInOneStatement(
                identityOf(other),
                { externalId: "known" },
                patch.customer,
                null,
                JSON.stringify,
              )
            : await updateConversationInOneStatement(
                identityOf(other),
                ofOther.id,
                patch.conversation,
                null,
                JSON.stringify,
              );
        const expected = await outcomeOf(byModels(one, ofOne));
        if (made === null) {
          expect(await outcomeOf(byModels(other, ofOther))).toBe(expected);
          continue;
        }
        inOneStatement++;
        expect(await outcomeOf(Promise.resolve(JSON.parse(made)))).toBe(expected);
        const caller = reader(system(other));
        const { id } = JSON.parse(made) as { id: string };
        const stored =
          "customer" in patch ? await getCustomer(caller, id) : await getConversation(caller, id);
        expect(JSON.stringify(stored)).toBe(made);
      }
      expect(await written(other)).toBe(await written(one));
    }),
    { numRuns: 15, endOnFailure: true },
  );
  expect(inOneStatement).toBeGreaterThan(10);
});

const webhooks: (Partial<CreateWebhook> & { isDisabled?: boolean })[] = [
  {},
  { ordering: "conversation", filter: { priority: ["HIGH"] } },
  { ordering: "conversation", isDisabled: true },
  { events: ["message.received"], ordering: "conversation" },
  { events: ["message.*"], filter: { channelId: ["web"] } },
];

/** The partitions of two tenants. Some have no webhooks, and the last one has all of them. */
async function newPartitions(): Promise<Partition[]> {
  const partitions: Partition[] = [];
  for (const { tenantId } of [await newPartition(), await newPartition()])
    for (const environment of ["live", "test"] as const) {
      const partition = { tenantId, environment };
      for (const { isDisabled, ...options } of webhooks.slice(0, 2 * partitions.length))
        await mutate(system(partition), async (caller) => {
          const body = { events: ["*"], metadata: {}, description: null, ...options };
          const { id } = await createWebhook(caller, { url: "https://example.com/", ...body });
          if (isDisabled) await updateWebhook(caller, id, { status: "DISABLED" });
        });
      partitions.push(partition);
    }
  return partitions;
}

/**
 * The same as `written`, for several conversations and webhooks: each lane's deliveries in order.
 * Their positions differ, because the deliveries of one statement share one.
 */
async function writtenInLanes(partition: Partition): Promise<string> {
  const query = { where: partition, orderBy: { id: "asc" } } as const;
  const events = await db().event.findMany({ ...query, omit: { expiresAt: true } });
  const places = new Map(events.map(({ id }, place) => [id, place]));
  const deliveries = await db().delivery.findMany({
    where: partition,
    orderBy: [
      { webhookId: "asc" },
      { conversationId: "asc" },
      { position: "asc" },
      { eventId: "asc" },
    ],
  });
  const tables = [
    await db().conversation.findMany(query),
    await db().message.findMany({
      where: partition,
      orderBy: [{ conversationId: "asc" }, { sequence: "asc" }],
    }),
    events,
    deliveries.map(({ position, ...delivery }) => ({
      ...delivery,
      isInLane: position !== null,
      event: places.get(delivery.eventId),
    })),
  ];
  return withoutIdsAndTimes(tables);
}

/** A record for every second change. */
const recordOf = (name: string, index: number): IdempotencyRecord | null =>
  index % 2 === 0
    ? null
    : {
        key: `${name} ${index}`,
        fingerprint: Buffer.from(`\0\xff${name} ${index}`.padEnd(32, "\\")),
        status: 201,
        expiresAt: new Date(Date.now() + 60_000),
      };

async function transactionsOf(
  partitions: Partition[],
  table: "messages" | "events",
  condition = "true",
) {
  const { rows } = await pool().query<{ rows: number; transactions: number }>(
    `SELECT count(*)::int AS rows, count(DISTINCT xact)::int AS transactions FROM ${table}
     WHERE tenant_id = ANY ($1) AND ${condition}`,
    [partitions.map(({ tenantId }) => tenantId)],
  );
  return rows[0];
}

test("concurrent changes create what Prisma's models create one by one", async () => {
  const drafts = fc.array(
    fc.tuple(conversationBody, fc.array(messageBody, { minLength: 1, maxLength: 3 })),
    { minLength: 2, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(drafts, async (conversations) => {
      const [ones, others] = [await newPartitions(), await newPartitions()];
      for (const partition of ones) {
        const identity = identityOf(partition);
        const ids: string[] = [];
        for (const [body] of conversations)
          ids.push((await mutate(identity, (caller) => createConversation(caller, body))).id);
        for (let round = 0; round < 3; round++)
          for (const [index, [, messages]] of conversations.entries()) {
            const message = messages[round];
            if (!message) continue;
            await mutate(identity, (caller) => postMessage(caller, ids[index] ?? "", message));
          }
      }

      const changes = others.flatMap((partition) =>
        conversations.map(([body, messages], index) => ({ partition, body, messages, index })),
      );
      const created = await Promise.all(
        changes.map(({ partition, body, index }) =>
          createConversationInOneStatement(
            identityOf(partition),
            body,
            recordOf("create", index),
            JSON.stringify,
          ),
        ),
      );
      const ids = created.map((response) => (JSON.parse(response ?? "") as { id: string }).id);
      for (const [place, { partition, body, index }] of changes.entries()) {
        const {
          messageCount: _count,
          updatedAt: _at,
          ...stored
        } = await getConversation(reader(system(partition)), ids[place] ?? "");
        expect(JSON.parse(created[place] ?? "")).toMatchObject(stored);
        expect(stored.channelId).toBe(body.channelId);
        const record = recordOf("create", index);
        if (record)
          expect(await findStoredResponse(partition, record)).toEqual({
            status: 201,
            body: created[place],
          });
      }
      const posted = [0, 1, 2].flatMap((round) =>
        changes.flatMap(({ partition, messages, index }, place) => {
          const message = messages[round];
          if (!message) return [];
          const [id = "", record] = [ids[place], recordOf(`post ${round}`, index)];
          const identity = identityOf(partition);
          const body = postMessageInOneStatement(identity, id, message, record, JSON.stringify);
          return [{ partition, id, message, record, body }];
        }),
      );
      for (const { partition, id, message, record, body } of posted) {
        const reply = JSON.parse((await body) ?? "") as { id: string; text: string };
        expect(reply.text).toBe(message.text);
        expect(await getMessage(reader(system(partition)), id, reply.id)).toEqual(reply);
        if (record)
          expect(await findStoredResponse(partition, record)).toEqual({
            status: 201,
            body: await body,
          });
      }

      for (const [place, partition] of others.entries())
        expect(await writtenInLanes(partition)).toBe(
          await writtenInLanes(ones[place] ?? partition),
        );
      // All conversations share a statement, and up to 32 messages do.
      expect(await transactionsOf(others, "events", "type = 'conversation.created'")).toEqual({
        rows: changes.length,
        transactions: 1,
      });
      const { rows = 0, transactions } = (await transactionsOf(others, "messages")) ?? {};
      expect(transactions).toBeLessThanOrEqual(Math.ceil(rows / 32) + 1);
    }),
    { numRuns: 4, endOnFailure: true },
  );
});

test("a stored response is found as Prisma finds it, until it expires", async () => {
  const response = fc.record({ body: text, status: fc.constantFrom(200, 201, 409) });
  await fc.assert(
    fc.asyncProperty(text, response, fc.boolean(), async (key, { body, status }, isExpired) => {
      const partition = await newPartition();
      const fingerprint = new Uint8Array(32).fill(key.length);
      const expiresAt = new Date(Date.now() + (isExpired ? -1 : 60_000));
      const data = { ...partition, key, fingerprint, status, body, createdAt: new Date() };
      await db().idempotencyRecord.create({ data: { ...data, expiresAt } });

      const record = { key, fingerprint: Buffer.from(fingerprint), status, expiresAt };
      expect(await findStoredResponse(partition, record)).toEqual(
        isExpired ? null : { status, body },
      );
      const other = { ...record, fingerprint: Buffer.alloc(32, 255) };
      const found = findStoredResponse(partition, other);
      if (isExpired) expect(await found).toBeNull();
      else await expect(found).rejects.toMatchObject({ kind: "idempotency-key-reused" });
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

const echoStatement = sql("echo", { texts: "text?[]" }, (p) => `SELECT ${p.texts} AS texts`);

test("arrays of texts arrive as they were sent", async () => {
  const texts = fc.array(fc.option(text), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(texts, async (sent) => {
      const [row] = await runSql<{ texts: (string | null)[] }>(echoStatement({ texts: sent }));
      expect(row?.texts).toEqual(sent);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

const echoManyStatement = changeSql(
  "echo_many",
  {
    plain: "text",
    maybe: "text?",
    texts: "text[]",
    maybeTexts: "text?[]",
    whole: "int?",
    real: "float8?",
    truth: "boolean?",
    time: "timestamptz?",
    bytes: "bytea?",
    json: "jsonb?",
    environment: "Environment?",
    numbers: "int?[]",
  },
  ({ input }) => `WITH input AS (${input}) SELECT * FROM input`,
);

test("many changes have the values of each one alone, whatever characters, bytes and times they hold", async () => {
  const awkward = fc.oneof(
    text,
    fc.constantFrom(
      "",
      "null",
      "NULL",
      "{}",
      '{"a",NULL}',
      "\\x00",
      "\\",
      '\\"',
      "a,b",
      "\n",
      "'",
      "$1",
      "🙂",
    ),
  );
  const values = fc.record({
    plain: fc.oneof(awkward, fc.constant('x\\"'.repeat(70_000))),
    maybe: fc.option(awkward),
    texts: fc.array(awkward, { maxLength: 3 }),
    maybeTexts: fc.array(fc.option(awkward), { maxLength: 3 }),
    whole: fc.option(fc.integer()),
    real: fc.option(fc.double({ noNaN: true })),
    truth: fc.option(fc.boolean()),
    time: fc.option(
      fc.date({ min: new Date("1900-01-01"), max: new Date("9998-12-31"), noInvalidDate: true }),
    ),
    bytes: fc.option(fc.uint8Array({ maxLength: 40 })),
    json: fc.option(fc.jsonValue().map((value) => JSON.stringify(value).replaceAll("\\u0000", ""))),
    environment: fc.option(fc.constantFrom("live" as const, "test" as const)),
    numbers: fc.array(fc.option(fc.integer()), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 6 }), async (changes) => {
      const alone = [];
      for (const [index, change] of changes.entries()) {
        const [row] = await runSql(echoManyStatement.one(change));
        alone.push({ ...row, n: index + 1 });
      }
      expect(await runSql(echoManyStatement.many(changes))).toEqual(alone);
      expect(alone.map((row) => (row as unknown as { plain: string }).plain)).toEqual(
        changes.map(({ plain }) => plain),
      );
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

test("times are read in the API's form, whatever the session's time zone", () => {
  const offset = fc.constantFrom("+00", "-08", "+05:30");
  fc.assert(
    fc.property(time, offset, fc.boolean(), (date, zone, isWhole) => {
      const at = new Date(isWhole ? Math.floor(date.getTime() / 1_000) * 1_000 : date);
      // As PostgreSQL prints a time, without zeros at its end.
      const local = at
        .toISOString()
        .replace("T", " ")
        .replace(/\.?0*Z$/, "");
      expect(toTimestamp(`${local}${zone}`)).toBe(
        new Date(`${local.replace(" ", "T")}${zone.padEnd(6, ":00")}`).toISOString(),
      );
    }),
  );
});
