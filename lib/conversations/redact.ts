import { recordAudit } from "@/lib/audit/service";
import { notedRequests } from "@/lib/events/noted-requests";
import { recordEvent } from "@/lib/events/record-event";
import {
  clearResponsesWithReply,
  eventsOfMessage,
  forgetResponses,
  keysReturning,
  redactEvents,
  requestOf,
} from "@/lib/events/redact";
import { deleteFilesOfMessages } from "@/lib/files/service";
import type { Caller } from "@/lib/platform/caller";
import { timeOfChange } from "@/lib/platform/changes";
import { runSql } from "@/lib/platform/db";
import { requireRole } from "@/lib/platform/roles";
import { notFound } from "@/lib/resources/not-found";
import { toMessage } from "./message";
import type { Message } from "./message-schema";
import { redactMessageStatement } from "./messages.sql";
import { lockConversation } from "./service";

/**
 * Removes the text, the metadata and the files of a message, and its place remains. Its event is redacted, too,
 * with what is stored of its deliveries. A job removes its preview from the conversation's events,
 * and clears the logs of the requests that posted it and uploaded its files (lib/deletions).
 * @returns the redacted message; it stays as it is if it was redacted before
 */
export async function redactMessage(
  caller: Caller,
  conversationId: string,
  id: string,
): Promise<Message> {
  requireRole(caller, "MEMBER", "redact messages");
  const conversation = await lockConversation(caller, conversationId);
  const before = await readMessage(caller, conversationId, id);
  caller.requireMatch?.(before);
  if (before.redactedAt) return before;

  const { db, partition } = caller;
  const at = timeOfChange(conversation.updatedAt);
  const redactedAt = at.toISOString();
  await runSql(redactMessageStatement({ ...partition, id, at }), caller);
  const fileIds = await deleteFilesOfMessages(caller, [id]);
  const later = { conversationId, sequence: { gt: before.sequence } };
  const hasLater = await db.message.findFirst({
    where: { ...partition, ...later, direction: { not: "INTERNAL" } },
    select: { id: true },
  });
  const isNote = before.direction === "INTERNAL";
  const isShown = !isNote && !hasLater;
  await db.conversation.update({
    where: { tenantId_environment_id: { ...partition, id: conversationId } },
    data: { updatedAt: at, ...(isShown && { lastMessagePreview: null }) },
  });
  const createdAt = new Date(before.createdAt);
  const events = isNote ? [] : await eventsOfMessage(caller, { id, createdAt });
  await redactEvents(caller, events, (object) => ({ ...object, ...redacted, redactedAt }));
  await clearResponsesWithReply(caller, id);
  const keys = isNote
    ? await keysReturning(caller, id)
    : events.flatMap((event) => requestOf(event)?.idempotencyKey ?? []);
  await forgetResponses(caller, keys, createdAt);
  const period = { since: createdAt, until: at };
  const noted = await notedRequests(caller, conversationId, period);
  for (const fileId of fileIds) noted.push(...(await notedRequests(caller, fileId)));
  for (const request of noted)
    if (request.key !== null) await forgetResponses(caller, [request.key], request.at);
  await db.deletion.create({
    data: { ...partition, id, conversationId, postedAt: createdAt, idempotencyKeys: keys },
  });
  const { customerId } = conversation;
  await db.deletion.createMany({
    data: fileIds.map((fileId) => ({ ...partition, id: fileId, customerId })),
  });
  const { environment } = partition;
  const ids = { id, environment, conversationId };
  await recordEvent(caller, "message.redacted", { ...ids, redactedAt }, { at, conversation });
  await recordAudit(caller, { action: "message.redacted", targetId: id, changes: {} });
  return { ...before, ...redacted, redactedAt };
}

/** Without links, which are not part of the version that `If-Match` names. */
async function readMessage(
  { db, partition }: Caller,
  conversationId: string,
  id: string,
): Promise<Message> {
  const row = await db.message.findFirst({ where: { ...partition, id, conversationId } });
  if (!row) throw notFound("message", id);
  const createdAt = row.createdAt.toISOString();
  return toMessage({ ...row, createdAt, redactedAt: row.redactedAt?.toISOString() ?? null });
}

const redacted = { text: "", attachments: [], metadata: {} };
