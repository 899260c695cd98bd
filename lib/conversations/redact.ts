import { recordAudit } from "@/lib/audit/service";
import { firstShown, forgetNotedResponses } from "@/lib/events/noted-requests";
import { recordEvent } from "@/lib/events/record-event";
import {
  clearPreview,
  clearResponsesWithReply,
  eventsOfMessage,
  eventsWithPreview,
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
import { idTimeMs } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { toMessage } from "./message";
import type { Message } from "./message-schema";
import { redactMessageStatement } from "./messages.sql";
import { lockConversation } from "./stored-conversation";

/** Far more than one message usually has. The job removes the others. */
const mostPreviews = 100;

/**
 * Removes the text, the metadata and the files of a message, and its place remains. Its event is redacted, too,
 * with what is stored of its deliveries, and so is its preview in the conversation's events. A job removes
 * further previews, and clears the logs of the requests that posted it and uploaded its files (lib/deletions).
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
  const { events: previews } = isNote
    ? { events: [] }
    : await eventsWithPreview(
        caller,
        { id, conversationId, createdAt },
        { afterId: "", limit: mostPreviews },
      );
  await redactEvents(caller, previews, clearPreview);
  await clearResponsesWithReply(caller, id);
  const keys = isNote
    ? await keysReturning(caller, id)
    : events.flatMap((event) => requestOf(event)?.idempotencyKey ?? []);
  await forgetResponses(caller, [
    ...keys.map((key) => ({ key, at: createdAt })),
    ...previews.flatMap((event) => {
      const key = requestOf(event)?.idempotencyKey;
      return key ? [{ key, at: new Date(idTimeMs(event.id)) }] : [];
    }),
  ]);
  await forgetNotedResponses(caller, conversationId, firstShown(id, createdAt));
  for (const fileId of fileIds) await forgetNotedResponses(caller, fileId, new Date(0));
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
