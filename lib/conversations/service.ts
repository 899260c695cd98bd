import { findOrCreateCustomer } from "@/lib/customers/service";
import type { EventTypeOf } from "@/lib/events/event-types";
import type { FilterableConversation } from "@/lib/events/filter";
import {
  type IdempotencyRecord,
  recordValues,
  type Serialize,
} from "@/lib/events/idempotency-record";
import { noteRequest } from "@/lib/events/noted-requests";
import {
  type ConversationAgent,
  eventValues,
  newEvent,
  recordEvent,
} from "@/lib/events/record-event";
import type { Attachment } from "@/lib/files/schema";
import { attachFiles, lockFilesToAttach } from "@/lib/files/service";
import { notifyAssignee, notifyMentioned } from "@/lib/notifications/service";
import {
  type Caller,
  type Identity,
  mutate,
  type Partition,
  system,
  wake,
} from "@/lib/platform/caller";
import { changedFields, previousAttributes, timeOfChange } from "@/lib/platform/changes";
import { readSql, runSql } from "@/lib/platform/db";
import { invalidBody, invalidTransition } from "@/lib/platform/errors";
import { joinChanges } from "@/lib/platform/join-changes";
import { joinLookups } from "@/lib/platform/join-lookups";
import { leaveOut } from "@/lib/platform/leave-out";
import { type Metadata, mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
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
import {
  type Conversation,
  type ConversationStatus,
  type CreateConversation,
  type ListConversations,
  type ListInbox,
  maximumTags,
  transitions,
  type UpdateConversation,
} from "./schema";
import {
  type ConversationRow,
  conversationColumns,
  createConversationStatement,
  dueSnoozedStatement,
  getConversationStatement,
} from "./service.sql";

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

const writeConversation = joinChanges(createConversationStatement);

/**
 * The same as `createConversation`, together with its idempotency record, in one statement and one
 * round trip, which concurrent creations share.
 * @returns the response's body, or null if nothing was written: the key is taken, or the body
 * refers to a customer, an agent or files, which takes more than one statement.
 */
export async function createConversationInOneStatement(
  identity: Identity,
  body: CreateConversation,
  record: IdempotencyRecord | null,
  serialize: Serialize<Conversation>,
): Promise<string | null> {
  if (body.customerId || body.customer || body.agentId || body.message?.attachments?.length)
    return null;
  const at = new Date();
  const id = newId("conversation", at);
  const message = body.message
    ? newMessage(identity.partition, { id, customer: null }, 1, body.message, at)
    : null;
  const conversation = newConversation(identity, { id, body, customer: null, message }, at);
  const event = newEvent(identity, "conversation.created", conversation, at);
  const eventType = message && messageEventType(message);
  // A body that names an agent takes more than one statement.
  const agent = eventType === "message.received" ? noAgent : undefined;
  const messageEvent = eventType && newEvent(identity, eventType, message, at, { agent });
  const response = serialize(conversation);
  const written = await writeConversation<{ deliveries: string[] }>({
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
  });
  if (!written) return null;
  wake(identity, written.deliveries);
  return response;
}

/**
 * Changes the fields of the patch. Raises one event: `conversation.status_changed` if the status
 * changes, whatever else changes too; otherwise `conversation.updated`; none if nothing changes.
 * @throws AppError `invalid-transition`
 */
export async function updateConversation(
  caller: Caller,
  id: string,
  patch: UpdateConversation,
): Promise<Conversation> {
  requireRole(caller, "MEMBER", "change conversations");
  const before = await lockConversation(caller, id);
  caller.requireMatch?.(toConversation(before));
  await requireReferences(caller, patch);
  const { metadata: metadataPatch, tags: allTags, addTags, removeTags, ...fields } = patch;
  const metadata = mergeMetadata(before.metadata, metadataPatch);
  const tags = allTags ?? mergeTags(before.tags, { addTags, removeTags });
  requireTransition(before.status, patch.status);
  const at = timeOfChange(before.updatedAt);
  const after = { ...before, ...fields, ...statusFields(before, patch, at), tags, metadata };
  return writeChange(caller, before, after, at);
}

/** @throws AppError `validation` if there would be too many tags */
function mergeTags(
  stored: string[],
  { addTags = [], removeTags = [] }: Pick<UpdateConversation, "addTags" | "removeTags">,
): string[] {
  const kept = stored.filter((tag) => !removeTags.includes(tag));
  const merged = [...kept, ...addTags.filter((tag) => !kept.includes(tag))];
  if (merged.length > maximumTags)
    throw invalidBody("/addTags", "too_big", `must leave at most ${maximumTags} tags in all`);
  return merged;
}

/** Part of posting a message that reopens its conversation, unless that is open or pending. */
export async function reopenForMessage(caller: Caller, id: string): Promise<void> {
  const before = await lockConversation(caller, id);
  if (before.status === "OPEN" || before.status === "PENDING") return;
  await reopen(caller, before);
}

async function reopen(caller: Caller, before: ConversationRow): Promise<void> {
  const at = timeOfChange(before.updatedAt);
  const after = { ...before, ...statusFields(before, { status: "OPEN" }, at) };
  await writeChange(caller, before, after, at);
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
  await reopen(caller, before);
  return 1;
}

/** The row, locked until the transaction ends: changes of one conversation happen one by one. */
export async function lockConversation(caller: Caller, id: string): Promise<ConversationRow> {
  const row = await findAndLockConversation(caller, id);
  if (!row) throw notFound("conversation", id);
  return row;
}

const findAndLockConversation = (caller: Caller, id: string) =>
  lockRow<ConversationRow>(caller, "conversations", id, conversationColumns);

async function writeChange(
  caller: Caller,
  beforeRow: ConversationRow,
  afterRow: ConversationRow,
  at: Date,
): Promise<Conversation> {
  const before = toConversation(beforeRow);
  const changed = changedFields(before, toConversation(afterRow));
  if (changed.length === 0) {
    if (before.lastMessagePreview !== null) await noteRequest(caller, before.id);
    return before;
  }

  const { tenantId: _tenant, environment: _environment, id, metadata, ...columns } = afterRow;
  const row = await caller.db.conversation.update({
    where: { tenantId_environment_id: { ...caller.partition, id } },
    data: { ...columns, metadata: metadata as Metadata, updatedAt: at },
  });
  if (changed.includes("customerId"))
    await moveBetweenCustomers(caller, before.customerId, row.customerId);
  if (changed.includes("assigneeId") && row.assigneeId)
    await notifyAssignee(caller, id, row.assigneeId);

  const conversation = toConversation(row);
  const type = changed.includes("status") ? "conversation.status_changed" : "conversation.updated";
  await recordEvent(caller, type, conversation, {
    previousAttributes: previousAttributes(before, changed),
    at,
  });
  return conversation;
}

function requireTransition(from: ConversationStatus, to: ConversationStatus = from): void {
  if (to !== from && !transitions[from].includes(to))
    throw invalidTransition("A conversation", { from, to, allowed: transitions[from] });
}

/** The fields that a new status sets: the times, and those of snoozing. */
function statusFields(
  before: ConversationRow,
  { status: to = before.status, snoozedUntil }: UpdateConversation,
  at: Date,
) {
  const from = before.status;
  if (to !== "SNOOZED") {
    if (snoozedUntil)
      throw invalidBody("/snoozedUntil", "invalid", "must only be sent with the status SNOOZED");
    if (to === from) return {};
    return {
      status: to,
      snoozedUntil: null,
      resolvedAt: to === "OPEN" ? null : to === "RESOLVED" ? at : before.resolvedAt,
      closedAt: to === "CLOSED" ? at : null,
    };
  }
  const until =
    snoozedUntil === undefined && from === "SNOOZED" ? before.snoozedUntil : snoozedUntil;
  if (!until) throw invalidBody("/snoozedUntil", "required", "is required with the status SNOOZED");
  return { status: to, snoozedUntil: until };
}

/** The message has a copy of the customer's name, so the customer must not be erased meanwhile. */
async function keepCustomer(caller: Caller, id: string) {
  type Named = { id: string; name: string | null };
  const customer = await lockRow<Named>(caller, "customers", id, "id, name", "KEY SHARE");
  if (!customer) throw notFound("customer", id);
  return customer;
}

/**
 * Everything that a body refers to must exist in the caller's own partition. Otherwise the response
 * is the same 404 as for an id that exists nowhere.
 */
async function requireReferences(
  { db, partition }: Caller,
  body: UpdateConversation | CreateConversation,
): Promise<void> {
  const itemOf = (id: string) => ({ tenantId_environment_id: { ...partition, id } });
  const select = { id: true };
  const { customerId } = body;
  if (customerId && !(await db.customer.findUnique({ where: itemOf(customerId), select })))
    throw notFound("customer", customerId);
  if (body.agentId && !(await db.agent.findUnique({ where: itemOf(body.agentId), select })))
    throw notFound("agent", body.agentId);
  if ("assigneeId" in body && body.assigneeId) {
    const membership = { tenantId: partition.tenantId, userId: body.assigneeId };
    const where = { tenantId_userId: membership, suspendedAt: null };
    if (!(await db.membership.findUnique({ where }))) throw notFound("user", body.assigneeId);
  }
}

async function moveBetweenCustomers(
  { db, partition }: Caller,
  from: string | null,
  to: string | null,
): Promise<void> {
  const where = (id: string) => ({ tenantId_environment_id: { ...partition, id } });
  if (from)
    await db.customer.update({ where: where(from), data: { conversationCount: { decrement: 1 } } });
  if (to)
    await db.customer.update({ where: where(to), data: { conversationCount: { increment: 1 } } });
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

export function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id,
    environment: row.environment,
    status: row.status,
    channelId: row.channelId,
    customerId: row.customerId,
    agentId: row.agentId,
    assigneeId: row.assigneeId,
    subject: row.subject,
    priority: row.priority,
    tags: row.tags,
    metadata: row.metadata as Metadata,
    externalId: row.externalId,
    messageCount: row.messageCount,
    lastMessageAt: row.lastMessageAt?.toISOString() ?? null,
    lastMessagePreview: row.lastMessagePreview,
    snoozedUntil: row.snoozedUntil?.toISOString() ?? null,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    closedAt: row.closedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
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
