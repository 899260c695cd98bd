import { requireRole } from "@/lib/auth/roles";
import { type Caller, type Identity, wake } from "@/lib/caller";
import { type Claim, claimValues, type Serialize } from "@/lib/claim";
import { lockConversation, reopenForCustomer } from "@/lib/conversations/service";
import { runStatement } from "@/lib/db";
import { AppError, notFound } from "@/lib/errors";
import { newEvent, recordEvent } from "@/lib/events/record-event";
import { toPage } from "@/lib/schema";
import { type MessageCustomer, messageEventType, newMessage, previewOf, toMessage, toMessageRow } from "./message";
import type { CreateMessage, ListMessages, Message } from "./schema";
import { listMessagesStatement, type MessageRow, postMessageStatement } from "./service.sql";

export async function listMessages(caller: Caller, conversationId: string, { cursor, limit, order }: ListMessages) {
  const values = [caller.partition.tenantId, caller.partition.environment, conversationId, cursor ?? null, limit + 1];
  const rows = await runStatement<MessageRow>(listMessagesStatement(order, cursor !== undefined), values);
  if (rows.length === 0) await requireConversation(caller, conversationId);
  return toPage(rows, limit, toMessage);
}

/** For those who have a message's id alone. @returns the id of the conversation that it stands in. */
export async function conversationOfMessage({ db, partition }: Caller, id: string): Promise<string> {
  const where = { tenantId_environment_id: { ...partition, id } };
  const found = await db.message.findUnique({ where, select: { conversationId: true } });
  if (!found) throw notFound("message", id);
  return found.conversationId;
}

export async function getMessage(caller: Caller, conversationId: string, id: string) {
  const found = await caller.db.message.findUnique({ where: { tenantId_environment_id: { ...caller.partition, id }, conversationId } });
  if (!found) throw notFound("message", id);
  return toMessage(found);
}

/**
 * Appends a message to a conversation. A customer's message opens one that is resolved or snoozed.
 * @throws AppError `conversation-closed`
 */
export async function postMessage(caller: Caller, conversationId: string, body: CreateMessage): Promise<Message> {
  requireRole(caller, "MEMBER", "post messages");
  const conversation = await lockConversation(caller, conversationId);
  if (conversation.status === "CLOSED")
    throw new AppError("conversation-closed", "The conversation is closed; nothing can be added to it.");

  const at = new Date();
  const customer = await customerOf(caller, conversation.customerId);
  const message = newMessage(caller.partition, { id: conversationId, customer }, conversation.messageCount + 1, body, at);
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
  if (eventType) await recordEvent(caller, eventType, message);
  if (message.direction === "INBOUND") await reopenForCustomer(caller, conversationId);
  return message;
}

/**
 * The same as `postMessage`, together with its idempotency record, in one statement and one round trip.
 * @returns the answer's body, or null where nothing was written: the key is taken, or the conversation is not there or
 * not in a status that takes a message without further ado. Then `postMessage` finds out what is to be said.
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
  const message = newMessage(identity.partition, { id: conversationId, customer: null }, 0, body, at);
  const isNote = message.direction === "INTERNAL";
  const eventType = messageEventType(message);

  // Only the statement knows the sequence and the customer, so the two texts that name them are cut where they belong.
  const anonymous = { ...message, author: { ...message.author, id: null, name: null } };
  const [bodyStart, between, bodyEnd] = cutAtOwn(serialize(anonymous));
  const event = eventType ? newEvent(identity, eventType, anonymous, at) : null;
  const [payloadStart, , payloadEnd] = event ? cutAtOwn(event.payload) : ["", "", ""];

  const [written] = await runStatement<{ own: string; deliveries: string[] }>(postMessageStatement, [
    ...[tenantId, environment, at],
    ...claimValues(claim, bodyStart),
    ...(event ? [[event.id], [event.type], [payloadStart]] : [[], [], []]),
    ...[bodyEnd, payloadEnd, conversationId, message.direction !== "INBOUND"],
    ...[message.id, message.direction, message.author.type, message.author.id, message.author.name],
    ...[message.text, message.externalId, JSON.stringify(message.metadata), isNote ? null : previewOf(message.text)],
    between,
  ]);
  if (!written) return null;
  wake(identity, written.deliveries);
  return `${bodyStart}${written.own}${bodyEnd}`;
}

const sequence = '"sequence":0';
const author = '"id":null,"name":null';

/**
 * Both stand before anything the tenant can write into, so the first occurrence is the right one.
 * @returns the text up to the sequence's value, from there to that of the author's id, and from behind the author's name
 */
function cutAtOwn(json: string): [start: string, between: string, end: string] {
  const sequenceAt = json.indexOf(sequence) + sequence.length - 1;
  const authorAt = json.indexOf(author, sequenceAt);
  return [json.slice(0, sequenceAt), json.slice(sequenceAt + 1, authorAt + '"id":'.length), json.slice(authorAt + author.length)];
}

async function customerOf({ db, partition }: Caller, id: string | null): Promise<MessageCustomer> {
  if (id === null) return null;
  return db.customer.findUnique({ where: { tenantId_environment_id: { ...partition, id } }, select: { id: true, name: true } });
}

async function requireConversation({ db, partition }: Caller, id: string): Promise<void> {
  const found = await db.conversation.findUnique({ where: { tenantId_environment_id: { ...partition, id } }, select: { id: true } });
  if (!found) throw notFound("conversation", id);
}
