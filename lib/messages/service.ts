import { requireRole } from "@/lib/auth/roles";
import { type Caller, type Identity, wake } from "@/lib/caller";
import { type Claim, claimValues, type Serialize } from "@/lib/claim";
import { lockConversation, reopenForCustomer } from "@/lib/conversations/service";
import { runStatement } from "@/lib/db";
import { AppError, notFound } from "@/lib/errors";
import { newEvent, recordEvent } from "@/lib/events/record-event";
import { toPage } from "@/lib/schema";
import { messageEventType, newMessage, previewOf, toMessage, toMessageRow } from "./message";
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
  const message = newMessage(caller.partition, conversationId, conversation.messageCount + 1, body, at);
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
  const message = newMessage(identity.partition, conversationId, 0, body, at);
  const isNote = message.direction === "INTERNAL";
  const eventType = messageEventType(message);

  // Only the statement knows the sequence, so the two texts that name it are cut where it belongs.
  const [bodyStart, bodyEnd] = cutAtSequence(serialize(message));
  const event = eventType ? newEvent(identity, eventType, message, at) : null;
  const [payloadStart, payloadEnd] = event ? cutAtSequence(event.payload) : ["", ""];

  const [written] = await runStatement<{ sequence: number; deliveries: string[] }>(postMessageStatement, [
    ...[tenantId, environment, at],
    ...claimValues(claim, bodyStart),
    ...(event ? [[event.id], [event.type], [payloadStart]] : [[], [], []]),
    ...[bodyEnd, payloadEnd, conversationId, message.direction !== "INBOUND"],
    ...[message.id, message.direction, message.author.type, message.author.id, message.author.name],
    ...[message.text, message.externalId, JSON.stringify(message.metadata), isNote ? null : previewOf(message.text)],
  ]);
  if (!written) return null;
  wake(identity, written.deliveries);
  return `${bodyStart}${written.sequence}${bodyEnd}`;
}

const sequenceMember = '"sequence":';

/** The member stands before anything the tenant can write into, so its first occurrence is the right one. */
function cutAtSequence(json: string): [start: string, end: string] {
  const position = json.indexOf(`${sequenceMember}0`) + sequenceMember.length;
  return [json.slice(0, position), json.slice(position + 1)];
}

async function requireConversation({ db, partition }: Caller, id: string): Promise<void> {
  const found = await db.conversation.findUnique({ where: { tenantId_environment_id: { ...partition, id } }, select: { id: true } });
  if (!found) throw notFound("conversation", id);
}
