import type { Caller } from "@/lib/platform/caller";
import type { Metadata } from "@/lib/platform/metadata";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import type { Conversation, CreateConversation, UpdateConversation } from "./schema";
import { type ConversationRow, conversationColumns } from "./service.sql";

// Reads and locks the rows of a conversation and of what it refers to.

/** The row, locked until the transaction ends: changes of one conversation happen one by one. */
export async function lockConversation(caller: Caller, id: string): Promise<ConversationRow> {
  const row = await findAndLockConversation(caller, id);
  if (!row) throw notFound("conversation", id);
  return row;
}

export const findAndLockConversation = (caller: Caller, id: string) =>
  lockRow<ConversationRow>(caller, "conversations", id, conversationColumns);

/** The message has a copy of the customer's name, so the customer must not be erased meanwhile. */
export async function keepCustomer(caller: Caller, id: string) {
  type Named = { id: string; name: string | null };
  const customer = await lockRow<Named>(caller, "customers", id, "id, name", "KEY SHARE");
  if (!customer) throw notFound("customer", id);
  return customer;
}

/**
 * Everything that a body refers to must exist in the caller's own partition. Otherwise the response
 * is the same 404 as for an id that exists nowhere.
 */
export async function requireReferences(
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
