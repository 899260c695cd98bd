import {
  type IdempotencyRecord,
  recordValues,
  type Serialize,
} from "@/lib/events/idempotency-record";
import { eventValues, newEvent } from "@/lib/events/record-event";
import { withLinks } from "@/lib/files/attachments";
import { attachFiles, lockFilesToAttach } from "@/lib/files/service";
import { notifyMentioned } from "@/lib/notifications/service";
import { type Caller, type Identity, wake } from "@/lib/platform/caller";
import { timeOfChange } from "@/lib/platform/changes";
import { readSql } from "@/lib/platform/db";
import { conversationClosed } from "@/lib/platform/errors";
import { joinChanges, laneIn } from "@/lib/platform/join-changes";
import { joinLookups } from "@/lib/platform/join-lookups";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { notFound } from "@/lib/resources/not-found";
import { rowsFor, toPage } from "@/lib/resources/pages";
import {
  type MessageCustomer,
  messageEventType,
  newMessage,
  previewOf,
  toMessage,
  toMessageRow,
} from "./message";
import type { CreateMessage, ListMessages, Message } from "./message-schema";
import { cutEvent, cutMessage, noAgent, withPlaceholders } from "./message-text";
import {
  getMessageStatement,
  listMessagesStatements,
  type MessageRow,
  postMessageStatement,
} from "./messages.sql";
import { continueInNewConversation, getConversation, recordMessageEvent } from "./service";
import { lockConversation } from "./stored-conversation";
import { reopenForMessage } from "./update";

export async function listMessages(
  caller: Caller,
  conversationId: string,
  { cursor, limit, order }: ListMessages,
) {
  const values = { ...caller.partition, conversationId };
  const { first, next } = listMessagesStatements;
  const count = rowsFor(limit);
  const rows = await readSql<MessageRow>(
    cursor === undefined ? first[order][count](values) : next[order][count]({ ...values, cursor }),
    caller,
  );
  if (rows.length === 0) await getConversation(caller, conversationId);
  await requireCursor(caller, "messages", cursor, conversationId);
  return toPage(rows, limit, (row) => withLinks(caller.partition, toMessage(row)));
}

/** For callers that only have a message's id. @returns the id of its conversation. */
export async function conversationOfMessage(
  { db, partition }: Caller,
  id: string,
): Promise<string> {
  const where = { tenantId_environment_id: { ...partition, id } };
  const found = await db.message.findUnique({ where, select: { conversationId: true } });
  if (!found) throw notFound("message", id);
  return found.conversationId;
}

const findMessage = joinLookups(getMessageStatement);

export async function getMessage(caller: Caller, conversationId: string, id: string) {
  const { partition } = caller;
  const found = await findMessage<MessageRow>({ ...partition, id, conversationId }, caller);
  if (!found) throw notFound("message", id);
  return withLinks(partition, toMessage(found));
}

/**
 * Appends a message to a conversation. A customer's message opens one that is resolved or snoozed.
 * If the conversation is closed, `onClosed` of the body decides.
 * @throws AppError `conversation-closed`, and those of `lockFilesToAttach`
 */
export async function postMessage(
  caller: Caller,
  conversationId: string,
  body: CreateMessage,
): Promise<Message> {
  requireRole(caller, "MEMBER", "post messages");
  const conversation = await lockConversation(caller, conversationId);
  const isClosed = conversation.status === "CLOSED";
  if (isClosed && !body.onClosed) throw conversationClosed();
  const customer = await customerOf(caller, conversation.customerId);
  const attachments = await lockFilesToAttach(caller, body.attachments);
  if (isClosed && body.onClosed === "new") {
    const first = { body, attachments };
    return withLinks(
      caller.partition,
      await continueInNewConversation(caller, conversation, customer, first),
    );
  }

  const at = timeOfChange(conversation.updatedAt);
  const message = newMessage(
    caller.partition,
    { id: conversationId, customer },
    conversation.messageCount + 1,
    body,
    at,
    attachments,
  );
  await caller.db.message.create({ data: toMessageRow(caller.partition, message) });
  await attachFiles(caller, message);
  const isNote = message.direction === "INTERNAL";
  await caller.db.conversation.update({
    where: { tenantId_environment_id: { ...caller.partition, id: conversationId } },
    data: {
      messageCount: message.sequence,
      updatedAt: at,
      ...(!isNote && { lastMessageAt: at, lastMessagePreview: previewOf(message) }),
    },
  });
  const eventType = messageEventType(message);
  if (eventType) await recordMessageEvent(caller, eventType, message, conversation, at);
  if (message.author.type === "USER") await notifyMentioned(caller, conversationId, message.text);
  if (isClosed || message.direction === "INBOUND") await reopenForMessage(caller, conversationId);
  return withLinks(caller.partition, message);
}

/**
 * A conversation has one statement at a time, because its messages are numbered.
 */
const writeMessage = joinChanges(postMessageStatement, {
  load: "busy",
  laneOf: (values) => laneIn(values, values.conversationId),
});

/**
 * The same as `postMessage`, together with its idempotency record, in one statement and one round
 * trip, which concurrent messages share.
 * @returns the response's body, or null if nothing was written: the key is taken, there are
 * attachments, or the conversation does not exist or its status does not take the message without
 * further changes. Then call `postMessage`, which finds out why.
 */
export async function postMessageInOneStatement(
  identity: Identity,
  conversationId: string,
  body: CreateMessage,
  record: IdempotencyRecord | null,
  serialize: Serialize<Message>,
): Promise<string | null> {
  if (body.attachments?.length) return null;
  const at = new Date();
  const conversation = { id: conversationId, customer: null };
  const message = newMessage(identity.partition, conversation, 0, body, at);
  const eventType = messageEventType(message);
  const unfinished = withPlaceholders(message);
  const text = cutMessage(serialize(unfinished));
  const agent = eventType === "message.received" ? noAgent : undefined;
  const event = eventType ? newEvent(identity, eventType, unfinished, at, { agent }) : null;
  const payload = event && cutEvent(event);

  const written = await writeMessage<{ own: string; createdAt: string; deliveries: string[] }>({
    tenantId: identity.partition.tenantId,
    environment: identity.partition.environment,
    at,
    ...recordValues(record, text.start),
    ...eventValues(event && payload && { ...event, payload: payload.untilTimestamp }),
    conversationId,
    messageId: message.id,
    direction: message.direction,
    authorType: message.author.type,
    authorId: message.author.id,
    authorName: message.author.name,
    text: message.text,
    externalId: message.externalId,
    metadata: JSON.stringify(message.metadata),
    preview: message.direction === "INTERNAL" ? null : previewOf(message),
    fromSequenceToAuthorId: text.fromSequenceToAuthorId,
    bodyFromAuthor: text.fromAuthor,
    bodyEnd: text.end,
    payloadFromTimestamp: payload?.start ?? "",
    payloadFromAuthor: payload?.fromAuthor ?? "",
    payloadEnd: payload?.end ?? "",
    payloadFromAgent: payload?.fromAgent ?? "",
  });
  if (!written) return null;
  wake(identity, written.deliveries);
  return `${text.start}${written.own}${text.fromAuthor}${written.createdAt}${text.end}`;
}

async function customerOf({ db, partition }: Caller, id: string | null): Promise<MessageCustomer> {
  if (id === null) return null;
  return db.customer.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
    select: { id: true, name: true },
  });
}
