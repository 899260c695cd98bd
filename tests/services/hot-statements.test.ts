import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { findStoredResponse } from "@/lib/api/idempotency";
import { createMessageBody } from "@/lib/conversations/message-schema";
import {
  getMessage,
  listMessages,
  postMessage,
  postMessageInOneStatement,
} from "@/lib/conversations/messages";
import {
  conversationStatuses,
  createConversationBody,
  type listConversationsQuery,
} from "@/lib/conversations/schema";
import {
  createConversation,
  createConversationInOneStatement,
  getConversation,
  listConversations,
} from "@/lib/conversations/service";
import { type Identity, mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import { toTimestamp } from "@/lib/platform/response-types";
import { sql } from "@/lib/platform/sql";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import { createWebhook } from "@/lib/webhooks/service";

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
        const where = { tenantId_environment_id: { ...partition, id: picked.id } };
        const found = await db().conversation.findUniqueOrThrow({ where });
        expect(await getConversation(caller, picked.id)).toEqual(returned(found));
      },
    ),
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
    await db().conversation.findMany(query),
    await db().message.findMany({ where: partition, orderBy: { sequence: "asc" } }),
    await db().event.findMany({ ...query, omit: { expiresAt: true } }),
    await db().delivery.findMany({ where: partition, orderBy: { eventId: "asc" } }),
  ];
  return JSON.stringify(tables, null, 1)
    .replaceAll(/\b([a-z]{3})_[0-9A-Z]{26}\b/g, "$1_…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)");
}

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
