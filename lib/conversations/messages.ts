import { type Claim, claimValues, type Serialize } from "@/lib/events/idempotency-record";
import { newEvent, recordEvent } from "@/lib/events/record-event";
import { type Caller, type Identity, wake } from "@/lib/platform/caller";
import { timeOfChange } from "@/lib/platform/changes";
import { runStatement } from "@/lib/platform/db";
import { conversationClosed } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { notFound } from "@/lib/resources/not-found";
import { toPage } from "@/lib/resources/pages";
import {
  type MessageCustomer,
  messageEventType,
  newMessage,
  previewOf,
  toMessage,
  toMessageRow,
} from "./message";
import type { CreateMessage, ListMessages, Message } from "./message-schema";
import { listMessagesStatement, type MessageRow, postMessageStatement } from "./messages.sql";
import { lockConversation, reopenForCustomer } from "./service";

export async function listMessages(
  caller: Caller,
  conversationId: string,
  { cursor, limit, order }: ListMessages,
) {
  const values = [
    caller.partition.tenantId,
    caller.partition.environment,
    conversationId,
    cursor ?? null,
    limit + 1,
  ];
  const rows = await runStatement<MessageRow>(
    listMessagesStatement(order, cursor !== undefined),
    values,
  );
  if (rows.length === 0) await requireConversation(caller, conversationId);
  await requireCursor(caller, "messages", cursor, conversationId);
  return toPage(rows, limit, toMessage);
}

/**
 * For those who have a message's id alone. @returns the id of the conversation that it stands in.
 */
export async function conversationOfMessage(
  { db, partition }: Caller,
  id: string,
): Promise<string> {
  const where = { tenantId_environment_id: { ...partition, id } };
  const found = await db.message.findUnique({ where, select: { conversationId: true } });
  if (!found) throw notFound("message", id);
  return found.conversationId;
}

export async function getMessage(caller: Caller, conversationId: string, id: string) {
  const found = await caller.db.message.findUnique({
    where: { tenantId_environment_id: { ...caller.partition, id }, conversationId },
  });
  if (!found) throw notFound("message", id);
  return toMessage(found);
}

/**
 * Appends a message to a conversation. A customer's message opens one that is resolved or snoozed.
 * @throws AppError `conversation-closed`
 */
export async function postMessage(
  caller: Caller,
  conversationId: string,
  body: CreateMessage,
): Promise<Message> {
  requireRole(caller, "MEMBER", "post messages");
  const conversation = await lockConversation(caller, conversationId);
  if (conversation.status === "CLOSED") throw conversationClosed();

  const at = timeOfChange(conversation.updatedAt);
  const customer = await customerOf(caller, conversation.customerId);
  const message = newMessage(
    caller.partition,
    { id: conversationId, customer },
    conversation.messageCount + 1,
    body,
    at,
  );
  await caller.db.message.create({ data: toMessageRow(caller.partition, message) });
  const isNote = message.direction === "INTERNAL";
  await caller.db.conversation.update({
    where: { tenantId_environment_id: { ...caller.partition, id: conversationId } },
    data: {
      messageCount: message.sequence,
      updatedAt: at,
      ...(!isNote && { lastMessageAt: at, lastMessagePreview: previewOf(message.text) }),
    },
  });
  const eventType = messageEventType(message);
  if (eventType) await recordEvent(caller, eventType, message, { at });
  if (message.direction === "INBOUND") await reopenForCustomer(caller, conversationId);
  return message;
}

/**
 * The same as `postMessage`, together with its idempotency record, in one statement and one round
 * trip.
 * @returns the answer's body, or null where nothing was written: the key is taken, or the
 * conversation is not there or not in a status that takes a message without further ado. Then
 * `postMessage` finds out what is to be said.
 */
export async function postMessageAtOnce(
  identity: Identity,
  conversationId: string,
  body: CreateMessage,
  claim: Claim | null,
  serialize: Serialize<Message>,
): Promise<string | null> {
  const { tenantId, environment } = identity.partition;
  const at = new Date();
  const message = newMessage(
    identity.partition,
    { id: conversationId, customer: null },
    0,
    body,
    at,
  );
  const isNote = message.direction === "INTERNAL";
  const eventType = messageEventType(message);

  // Only the statement knows the sequence, the customer and the time, so both texts are cut where
  // these belong.
  const anonymous = { ...message, author: { ...message.author, id: null, name: null } };
  const [bodyStart, between, bodyMiddle, bodyEnd] = cutAtOwn(serialize(anonymous));
  const event = eventType ? newEvent(identity, eventType, anonymous, at) : null;
  const [payloadStart, payloadRest] = event
    ? cutAt(event.payload, timestamp, event.payload.indexOf(timestamp))
    : ["", ""];
  const [objectStart, , payloadMiddle, payloadEnd] = event
    ? cutAtOwn(payloadRest)
    : ["", "", "", ""];

  const [written] = await runStatement<{ own: string; createdAt: string; deliveries: string[] }>(
    postMessageStatement,
    [
      ...[tenantId, environment, at],
      ...claimValues(claim, bodyStart),
      ...(event ? [[event.id], [event.type], [payloadStart]] : [[], [], []]),
      ...[bodyMiddle, payloadMiddle, conversationId, message.direction !== "INBOUND"],
      ...[
        message.id,
        message.direction,
        message.author.type,
        message.author.id,
        message.author.name,
      ],
      ...[
        message.text,
        message.externalId,
        JSON.stringify(message.metadata),
        isNote ? null : previewOf(message.text),
      ],
      ...[between, bodyEnd, objectStart, payloadEnd],
    ],
  );
  if (!written) return null;
  wake(identity, written.deliveries);
  return `${bodyStart}${written.own}${bodyMiddle}${written.createdAt}${bodyEnd}`;
}

const sequence = '"sequence":0';
const author = '"id":null,"name":null';
const timestamp = '"timestamp":"';
const createdAt = '"createdAt":"';
const timeLength = "2026-01-31T09:30:00.000Z".length;

/** Cuts the time out that follows a name. @returns the text up to the time, and from behind it */
function cutAt(json: string, name: string, at: number): [start: string, end: string] {
  const timeAt = at + name.length;
  return [json.slice(0, timeAt), json.slice(timeAt + timeLength)];
}

/**
 * Sequence and author come before anything the tenant can write into, so their first occurrence is
 * the right one. The time comes after all of it, so its last one is: in the tenant's own texts that
 * follow, quotes are escaped.
 * @returns the text up to the sequence's value, from there to that of the author's id, from behind
 * the author's name to the time of the message, and from behind that
 */
function cutAtOwn(json: string): [start: string, between: string, middle: string, end: string] {
  const sequenceAt = json.indexOf(sequence) + sequence.length - 1;
  const authorAt = json.indexOf(author, sequenceAt);
  const [middle, end] = cutAt(json, createdAt, json.lastIndexOf(createdAt));
  return [
    json.slice(0, sequenceAt),
    json.slice(sequenceAt + 1, authorAt + '"id":'.length),
    middle.slice(authorAt + author.length),
    end,
  ];
}

async function customerOf({ db, partition }: Caller, id: string | null): Promise<MessageCustomer> {
  if (id === null) return null;
  return db.customer.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
    select: { id: true, name: true },
  });
}

async function requireConversation({ db, partition }: Caller, id: string): Promise<void> {
  const found = await db.conversation.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
    select: { id: true },
  });
  if (!found) throw notFound("conversation", id);
}
