import type { EventTypeOf } from "@/lib/events/event-types";
import { filterableStates } from "@/lib/events/filter";
import {
  type IdempotencyRecord,
  recordValues,
  type Serialize,
} from "@/lib/events/idempotency-record";
import { noteRequest } from "@/lib/events/noted-requests";
import { eventValues, newEvent, recordEvent } from "@/lib/events/record-event";
import { notifyAssignee } from "@/lib/notifications/service";
import { type Caller, type Identity, wake } from "@/lib/platform/caller";
import { changedFields, previousAttributes, timeOfChange } from "@/lib/platform/changes";
import { invalidBody, invalidTransition, unlessRefused } from "@/lib/platform/errors";
import { joinChanges, laneIn } from "@/lib/platform/join-changes";
import { joinLookups } from "@/lib/platform/join-lookups";
import { mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import {
  type Conversation,
  type ConversationStatus,
  maximumTags,
  transitions,
  type UpdateConversation,
} from "./schema";
import { lockConversation, requireReferences, toConversation } from "./stored-conversation";
import { findToUpdateStatement, updateConversationStatement } from "./update.sql";

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
  const before = toConversation(await lockConversation(caller, id));
  caller.requireMatch?.(before);
  await requireReferences(caller, patch);
  const at = timeOfChange(before.updatedAt);
  return writeChange(caller, before, patched(before, patch, at), at);
}

/** Part of posting a message that reopens its conversation, unless that is open or pending. */
export async function reopenForMessage(caller: Caller, id: string): Promise<void> {
  const before = toConversation(await lockConversation(caller, id));
  if (before.status === "OPEN" || before.status === "PENDING") return;
  await reopen(caller, before);
}

/** @param before the conversation, which the transaction has locked */
export async function reopen(caller: Caller, before: Conversation): Promise<void> {
  const at = timeOfChange(before.updatedAt);
  const after = { ...before, ...statusFields(before, { status: "OPEN" }, at) };
  await writeChange(caller, before, after, at);
}

async function writeChange(
  caller: Caller,
  before: Conversation,
  after: Conversation,
  at: Date,
): Promise<Conversation> {
  const { id } = before;
  const changed = changedFields(before, after);
  if (changed.length === 0) {
    if (before.lastMessagePreview !== null) await noteRequest(caller, id);
    return before;
  }

  const row = await caller.db.conversation.update({
    where: { tenantId_environment_id: { ...caller.partition, id } },
    data: { ...changeableColumns(after), updatedAt: at },
  });
  if (changed.includes("customerId"))
    await moveBetweenCustomers(caller, before.customerId, row.customerId);
  if (changed.includes("assigneeId") && row.assigneeId)
    await notifyAssignee(caller, id, row.assigneeId);

  const conversation = toConversation(row);
  await recordEvent(caller, eventTypeOf(changed), conversation, {
    previousAttributes: previousAttributes(before, changed),
    at,
  });
  return conversation;
}

const findToUpdate = joinLookups(findToUpdateStatement);
/** The changes of a row have one statement at a time, because each makes the version that the next one needs. */
const writeInOneStatement = joinChanges(updateConversationStatement, {
  laneOf: (values) => laneIn(values, values.id),
});

/**
 * The same as `updateConversation`, together with its idempotency record, in one statement, which
 * concurrent changes share. The conversation is read first without a lock, and changed only if it is
 * still the same.
 * @returns the response's body, or null if nothing was written: the patch is refused, changes nothing,
 * or refers to something, the key is taken, or the conversation was changed meanwhile. Then call
 * `updateConversation`, which finds out why.
 */
export async function updateConversationInOneStatement(
  identity: Identity,
  id: string,
  patch: UpdateConversation,
  record: IdempotencyRecord | null,
  serialize: Serialize<Conversation>,
): Promise<string | null> {
  if (patch.customerId !== undefined || patch.agentId || patch.assigneeId) return null;
  const { partition } = identity;
  const found = await findToUpdate<Conversation & { version: string }>({ ...partition, id });
  if (!found) return null;
  const { version, ...before } = found;
  const at = timeOfChange(before.updatedAt);
  const allowed = unlessRefused(() => {
    identity.requireMatch?.(before);
    return patched(before, patch, at);
  });
  const changed = allowed ? changedFields(before, allowed) : [];
  if (!allowed || changed.length === 0) return null;

  const after = { ...allowed, updatedAt: at.toISOString() };
  const type = eventTypeOf(changed);
  const previous = { previousAttributes: previousAttributes(before, changed) };
  const response = serialize(after);
  const { customerId: _customerId, metadata, ...columns } = changeableColumns(after);
  const written = await writeInOneStatement<{ deliveries: string[] }>({
    tenantId: partition.tenantId,
    environment: partition.environment,
    at,
    ...recordValues(record, response),
    ...eventValues(newEvent(identity, type, after, at, previous)),
    id,
    version,
    ...columns,
    metadata: JSON.stringify(metadata),
    filterableStates: JSON.stringify(filterableStates(type, after, previous)),
  });
  if (!written) return null;
  wake(identity, written.deliveries);
  return response;
}

/**
 * The conversation with the patch, still with the time of its last change.
 * @throws AppError `validation`, `invalid-transition`
 */
function patched(before: Conversation, patch: UpdateConversation, at: Date): Conversation {
  const { metadata, tags, addTags, removeTags, snoozedUntil: _snoozedUntil, ...fields } = patch;
  const merged = {
    metadata: mergeMetadata(before.metadata, metadata),
    tags: tags ?? mergeTags(before.tags, { addTags, removeTags }),
  };
  requireTransition(before.status, patch.status);
  return { ...before, ...fields, ...statusFields(before, patch, at), ...merged };
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

function requireTransition(from: ConversationStatus, to: ConversationStatus = from): void {
  if (to !== from && !transitions[from].includes(to))
    throw invalidTransition("A conversation", { from, to, allowed: transitions[from] });
}

/** The fields that a new status sets: the times, and those of snoozing. */
function statusFields(
  before: Conversation,
  { status: to = before.status, snoozedUntil }: UpdateConversation,
  at: Date,
): Partial<Conversation> {
  const from = before.status;
  if (to !== "SNOOZED") {
    if (snoozedUntil)
      throw invalidBody("/snoozedUntil", "invalid", "must only be sent with the status SNOOZED");
    if (to === from) return {};
    return {
      status: to,
      snoozedUntil: null,
      resolvedAt: to === "OPEN" ? null : to === "RESOLVED" ? at.toISOString() : before.resolvedAt,
      closedAt: to === "CLOSED" ? at.toISOString() : null,
    };
  }
  const until =
    snoozedUntil === undefined && from === "SNOOZED"
      ? before.snoozedUntil
      : snoozedUntil?.toISOString();
  if (!until) throw invalidBody("/snoozedUntil", "required", "is required with the status SNOOZED");
  return { status: to, snoozedUntil: until };
}

const eventTypeOf = (changed: (keyof Conversation)[]): EventTypeOf<"conversation"> =>
  changed.includes("status") ? "conversation.status_changed" : "conversation.updated";

/** The columns that a patch can change. */
const changeableColumns = (conversation: Conversation) => ({
  status: conversation.status,
  customerId: conversation.customerId,
  agentId: conversation.agentId,
  assigneeId: conversation.assigneeId,
  subject: conversation.subject,
  priority: conversation.priority,
  tags: conversation.tags,
  metadata: conversation.metadata,
  externalId: conversation.externalId,
  snoozedUntil: dateOf(conversation.snoozedUntil),
  resolvedAt: dateOf(conversation.resolvedAt),
  closedAt: dateOf(conversation.closedAt),
});

const dateOf = (timestamp: string | null): Date | null =>
  timestamp === null ? null : new Date(timestamp);

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
