import { newCustomer, newCustomerValues } from "@/lib/customers/new-customer";
import { findOrCreateCustomer, findReferencedCustomer } from "@/lib/customers/service";
import type { EventTypeOf } from "@/lib/events/event-types";
import type { FilterableConversation } from "@/lib/events/filter";
import {
  type IdempotencyRecord,
  recordValues,
  type Serialize,
} from "@/lib/events/idempotency-record";
import {
  type ConversationAgent,
  eventValues,
  newEvent,
  recordEvent,
} from "@/lib/events/record-event";
import type { Attachment } from "@/lib/files/schema";
import { attachFiles, lockFilesToAttach } from "@/lib/files/service";
import { notifyMentioned } from "@/lib/notifications/service";
import {
  type Caller,
  type Identity,
  mutate,
  type Partition,
  system,
  wake,
} from "@/lib/platform/caller";
import { readSql, runSql } from "@/lib/platform/db";
import { joinChanges, laneIn } from "@/lib/platform/join-changes";
import { joinLookups } from "@/lib/platform/join-lookups";
import { leaveOut } from "@/lib/platform/leave-out";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { asRead, toPage } from "@/lib/resources/pages";
import { countInboxStatement, listInboxStatement } from "./inbox.sql";
import { listConversationsStatement } from "./list.sql";
import {
  type MessageCustomer,
  messageEventType,
  newMessage,
  previewOf,
  toMessageRow,
} from "./message";
import type { CreateMessage, Message } from "./message-schema";
import { noAgent } from "./message-text";
import type {
  Conversation,
  ConversationStatus,
  CreateConversation,
  ListConversations,
  ListInbox,
} from "./schema";
import {
  type ConversationRow,
  createConversationStatement,
  createReferringConversationStatement,
  dueSnoozedStatement,
  findAgentVersionStatement,
  getConversationStatement,
} from "./service.sql";
import {
  findAndLockConversation,
  keepCustomer,
  requireReferences,
  toConversation,
} from "./stored-conversation";
import { reopen } from "./update";

export async function listConversations(caller: Caller, query: ListConversations) {
  await requireCursor(caller, "conversations", query.cursor);
  const rows = await readSql<Conversation>(
    listConversationsStatement(caller.partition, query),
    caller,
  );
  return toPage(rows, query.limit, asRead);
}

const inboxPageSize = 30;

/**
 * The dashboard's list. Its cursor contains the time that the list is ordered by, so a conversation
 * that moves breaks no page.
 */
export async function listInbox(caller: Caller, query: ListInbox) {
  const statement = listInboxStatement(caller.partition, caller.actor.id, inboxPageSize, query);
  const rows = await readSql<Conversation>(statement, caller);
  const { data, nextCursor } = toPage(rows, inboxPageSize, asRead);
  const last = data.at(-1);
  return {
    data,
    ...(nextCursor &&
      last && {
        nextCursor: `${Date.parse(last.updatedAt)}-${last.id}${query.sort === "priority" ? `-${last.priority}` : ""}`,
      }),
  };
}

/** @returns how many conversations have each status, counted up to `limit` */
export async function countInbox(
  { partition }: Caller,
  limit: number,
): Promise<Record<ConversationStatus, number>> {
  const [counts] = await runSql<Record<ConversationStatus, number>>(
    countInboxStatement({ ...partition, limit }),
  );
  if (!counts) throw new Error("expected one row of counts, found none");
  return counts;
}

const findConversation = joinLookups(getConversationStatement);

export async function getConversation(caller: Caller, id: string): Promise<Conversation> {
  const found = await findConversation<Conversation>({ ...caller.partition, id }, caller);
  if (!found) throw notFound("conversation", id);
  return found;
}

/** How many conversations have an agent, counted up to `atMost`. */
export async function countConversationsOfAgent(
  { db, partition }: Caller,
  agentId: string,
  atMost: number,
): Promise<number> {
  const found = await db.conversation.findMany({
    where: { ...partition, agentId },
    select: { id: true },
    take: atMost,
  });
  return found.length;
}

/** Creates a conversation, with its first message if one is given. */
export async function createConversation(
  caller: Caller,
  body: CreateConversation,
): Promise<Conversation> {
  requireRole(caller, "MEMBER", "create conversations");
  const { customerId, ...references } = body;
  const named = customerId ? await keepCustomer(caller, customerId) : null;
  await requireReferences(caller, references);
  const customer = body.customer ? await findOrCreateCustomer(caller, body.customer) : named;
  const at = new Date();
  const id = newId("conversation", at);
  const message = body.message
    ? newMessage(
        caller.partition,
        { id, customer },
        1,
        body.message,
        at,
        await lockFilesToAttach(caller, body.message.attachments, "/message/attachments"),
      )
    : null;
  const conversation = newConversation(caller, { id, body, customer, message }, at);
  await writeNewConversation(caller, conversation, message);
  return conversation;
}

/**
 * For a message to a closed conversation: a new one with the same channel, customer and agent.
 * @returns its first message
 */
export async function continueInNewConversation(
  caller: Caller,
  { channelId, agentId }: ConversationRow,
  customer: MessageCustomer,
  first: { body: CreateMessage; attachments: Attachment[] },
): Promise<Message> {
  const at = new Date();
  const id = newId("conversation", at);
  const body: CreateConversation = {
    channelId,
    agentId,
    priority: "NORMAL",
    tags: [],
    metadata: {},
  };
  const message = newMessage(
    caller.partition,
    { id, customer },
    1,
    first.body,
    at,
    first.attachments,
  );
  const conversation = newConversation(caller, { id, body, customer, message }, at);
  await writeNewConversation(caller, conversation, message);
  return message;
}

async function writeNewConversation(
  caller: Caller,
  conversation: Conversation,
  message: Message | null,
): Promise<void> {
  await caller.db.conversation.create({ data: toConversationRow(caller, conversation) });
  if (conversation.customerId) {
    const where = { tenantId_environment_id: { ...caller.partition, id: conversation.customerId } };
    await caller.db.customer.update({ where, data: { conversationCount: { increment: 1 } } });
  }
  const at = new Date(conversation.createdAt);
  await recordEvent(caller, "conversation.created", conversation, { at });
  if (message) {
    await caller.db.message.create({ data: toMessageRow(caller.partition, message) });
    await attachFiles(caller, message);
    const eventType = messageEventType(message);
    if (eventType) await recordMessageEvent(caller, eventType, message, conversation, at);
    if (message.author.type === "USER")
      await notifyMentioned(caller, conversation.id, message.text);
  }
}

/** A customer's message names the conversation's agent, so that a program need not read it first. */
export async function recordMessageEvent(
  caller: Caller,
  type: EventTypeOf<"message">,
  message: Message,
  conversation: FilterableConversation,
  at: Date,
): Promise<void> {
  const agent =
    type === "message.received" ? await agentOf(caller, conversation.agentId) : undefined;
  await recordEvent(caller, type, message, { at, conversation, agent });
}

async function agentOf(
  { db, partition }: Caller,
  agentId: string | null,
): Promise<ConversationAgent> {
  if (agentId === null) return noAgent;
  const where = { tenantId_environment_id: { ...partition, id: agentId } };
  const found = await db.agent.findUnique({ where, select: { publishedVersion: true } });
  return { agentId, agentVersion: found?.publishedVersion ?? null };
}

const writeConversation = joinChanges(createConversationStatement, { load: "busy" });

/** Conversations of one customer are created by one statement at a time: each changes the customer's row. */
const writeReferringConversation = joinChanges(createReferringConversationStatement, {
  laneOf: (values) => {
    const customer = values.customerExternalId ?? values.customerId;
    return customer ? laneIn(values, customer) : undefined;
  },
});

/**
 * The same as `createConversation`, together with its idempotency record, in one statement, which
 * concurrent creations share. What the body refers to is looked up first.
 * @returns the response's body, or null if nothing was written: the key is taken, the body refers to
 * something that does not exist or was changed meanwhile, or has files. Then call `createConversation`.
 */
export async function createConversationInOneStatement(
  identity: Identity,
  body: CreateConversation,
  record: IdempotencyRecord | null,
  serialize: Serialize<Conversation>,
): Promise<string | null> {
  if (body.message?.attachments?.length) return null;
  const references = await findReferences(identity.partition, body);
  if (!references) return null;
  const at = new Date();
  const { agent, customer: existing } = references;
  const created = body.customer && !existing ? newCustomer(identity, body.customer, at) : null;
  const customer = created ?? existing;
  const customerEvent = created && newEvent(identity, "customer.created", created, at);
  const id = newId("conversation", at);
  const message = body.message
    ? newMessage(identity.partition, { id, customer }, 1, body.message, at)
    : null;
  const conversation = newConversation(identity, { id, body, customer, message }, at);
  const event = newEvent(identity, "conversation.created", conversation, at);
  const eventType = message && messageEventType(message);
  const messageEvent =
    eventType &&
    newEvent(identity, eventType, message, at, {
      agent: eventType === "message.received" ? agent : undefined,
    });
  const response = serialize(conversation);
  const values = {
    tenantId: identity.partition.tenantId,
    environment: identity.partition.environment,
    at,
    ...recordValues(record, response),
    ...eventValues(event),
    conversationId: conversation.id,
    channelId: conversation.channelId,
    subject: conversation.subject,
    priority: conversation.priority,
    tags: conversation.tags,
    metadata: JSON.stringify(conversation.metadata),
    externalId: conversation.externalId,
    ...(message && {
      messageId: message.id,
      direction: message.direction,
      authorType: message.author.type,
      authorId: message.author.id,
      authorName: message.author.name,
      text: message.text,
      messageExternalId: message.externalId,
      messageMetadata: JSON.stringify(message.metadata),
      preview: previewOf(message),
    }),
    ...(messageEvent && {
      messageEventId: messageEvent.id,
      messageEventType: messageEvent.type,
      messageEventPayload: messageEvent.payload,
    }),
  };
  type Written = { deliveries: string[] };
  const written =
    customer || agent.agentId
      ? await writeReferringConversation<Written>({
          ...values,
          agentId: agent.agentId,
          ...(existing && {
            customerId: existing.id,
            customerName: existing.name,
            customerExternalId: body.customer?.externalId,
          }),
          ...(created && newCustomerValues(created)),
          isNewCustomer: created !== null,
          customerEventId: customerEvent?.id,
          customerEventType: customerEvent?.type,
          customerEventPayload: customerEvent?.payload,
        })
      : await writeConversation<Written>(values);
  if (!written) return null;
  wake(identity, written.deliveries);
  return response;
}

const findAgentVersion = joinLookups(findAgentVersionStatement);

/**
 * The customer is null if the body names none or creates one.
 * @returns null if the body names a customer or an agent that does not exist
 */
async function findReferences(
  partition: Partition,
  { customerId, customer: { externalId } = {}, agentId }: CreateConversation,
): Promise<{ customer: MessageCustomer; agent: ConversationAgent } | null> {
  const [customer, agent] = await Promise.all([
    customerId || externalId
      ? findReferencedCustomer(partition, { id: customerId, externalId })
      : null,
    agentId ? findAgentVersion<ConversationAgent>({ ...partition, id: agentId }) : noAgent,
  ]);
  if (!agent || (customerId && !customer)) return null;
  return { customer: customer ?? null, agent };
}

const leftOutConversations = leaveOut(
  "a snoozed conversation could not be reopened and will be tried again",
);

/** Before every environment. */
const firstTurn: Partition = { tenantId: "", environment: "live" };

/** The environment that had the last turn. Each worker counts its own turns. */
let lastTurn = firstTurn;

type DueSnoozed = Partition & {
  id: string;
  at: Date;
  lastTenantId: string | null;
  lastEnvironment: Partition["environment"];
};

/**
 * Reopens conversations whose `snoozedUntil` has passed, each in a transaction of its own.
 * @returns how many were reopened
 */
export async function wakeSnoozedConversations(limit: number): Promise<number> {
  const due = await runSql<DueSnoozed>(
    dueSnoozedStatement({
      limit,
      except: leftOutConversations.ids(),
      afterTenantId: lastTurn.tenantId,
      afterEnvironment: lastTurn.environment,
    }),
  );
  const { lastTenantId = null, lastEnvironment = "live" } = due[0] ?? {};
  lastTurn =
    lastTenantId === null ? firstTurn : { tenantId: lastTenantId, environment: lastEnvironment };
  let opened = 0;
  for (const { id, at, tenantId, environment } of due) {
    const partition = { tenantId, environment };
    opened +=
      (await leftOutConversations.attempt(id, { ...partition, conversationId: id }, () =>
        mutate(system(partition), (caller) => wakeSnoozed(caller, id, at)),
      )) ?? 0;
  }
  return opened;
}

/** @returns how many were reopened: it may have been deleted or changed since */
async function wakeSnoozed(caller: Caller, id: string, at: Date): Promise<number> {
  const before = await findAndLockConversation(caller, id);
  if (before?.status !== "SNOOZED" || !before.snoozedUntil || before.snoozedUntil > at) return 0;
  await reopen(caller, toConversation(before));
  return 1;
}

type NewConversation = {
  id: string;
  body: Omit<CreateConversation, "message">;
  customer: MessageCustomer;
  message: Message | null;
};

/** A conversation with its first message as it will be stored and returned. */
function newConversation(
  { partition }: Identity,
  { id, body, customer, message }: NewConversation,
  at: Date,
): Conversation {
  const shown = message && message.direction !== "INTERNAL" ? message : null;
  const createdAt = at.toISOString();
  return {
    id,
    environment: partition.environment,
    status: "OPEN",
    channelId: body.channelId,
    customerId: customer?.id ?? null,
    agentId: body.agentId ?? null,
    assigneeId: null,
    subject: body.subject ?? null,
    priority: body.priority,
    tags: body.tags,
    metadata: body.metadata,
    externalId: body.externalId ?? null,
    messageCount: message ? 1 : 0,
    lastMessageAt: shown && createdAt,
    lastMessagePreview: shown && previewOf(shown),
    snoozedUntil: null,
    resolvedAt: null,
    closedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
}

function toConversationRow({ partition }: Caller, conversation: Conversation) {
  const {
    tags,
    createdAt,
    updatedAt,
    lastMessageAt,
    snoozedUntil: _snoozed,
    resolvedAt: _resolved,
    closedAt: _closed,
    ...columns
  } = conversation;
  return {
    ...columns,
    ...partition,
    tags: [...tags],
    lastMessageAt: lastMessageAt ? new Date(lastMessageAt) : null,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}
