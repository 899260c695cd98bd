import { recordAudit } from "@/lib/audit/service";
import { maximumCascade } from "@/lib/customers/schema";
import { lockCustomerForDeletion } from "@/lib/customers/service";
import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { customerInUse, limitReached } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { lockConversation, toConversation } from "./stored-conversation";

/**
 * Deletes a conversation. Its messages, of which there can be any number, are gone for every reader
 * from then on, and a job deletes them (lib/deletions). Its events stay as long as all others.
 */
export async function deleteConversation(caller: Caller, id: string) {
  requireRole(caller, "MEMBER", "delete conversations");
  const row = await lockConversation(caller, id);
  caller.requireMatch?.(toConversation(row));
  const { db, partition } = caller;
  const { customerId } = row;
  await db.conversation.deleteMany({ where: { ...partition, id } });
  if (customerId)
    await db.customer.update({
      where: { tenantId_environment_id: { ...partition, id: customerId } },
      data: { conversationCount: { decrement: 1 } },
    });
  const { environment } = partition;
  const ids = { id, environment, customerId };
  await recordEvent(caller, "conversation.deleted", ids, { conversation: row });
  await recordAudit(caller, {
    action: "conversation.deleted",
    targetId: id,
    changes: { before: { messages: row.messageCount } },
  });
  return { id, deleted: true as const };
}

/**
 * Deletes a customer. Without `cascade`, it must have no conversations.
 * @throws AppError `in-use` with the number of conversations, `limit-reached` if there are too many
 * for one transaction
 */
export async function deleteCustomer(
  caller: Caller,
  id: string,
  { cascade }: { cascade: boolean },
) {
  requireRole(caller, "MEMBER", "delete customers");
  const customer = await lockCustomerForDeletion(caller, id);
  caller.requireMatch?.(customer);
  const { db, partition } = caller;
  const { environment } = partition;
  const where = { ...partition, customerId: id };
  // Counted, because these rows are deleted: the number in the customer's row is for display.
  const found = await db.conversation.count({ where, take: maximumCascade + 1 });
  const current = found > maximumCascade ? Math.max(found, customer.conversationCount) : found;
  if (current > 0 && !cascade) throw customerInUse(current);
  if (current > maximumCascade) {
    const limit = maximumCascade;
    const detail = `A customer is deleted with at most ${limit.toLocaleString("en")} conversations, and this one has ${current.toLocaleString("en")}. Delete conversations first, or erase the customer.`;
    throw limitReached(detail, { limit, current });
  }
  const conversations = await db.conversation.findMany({ where });
  await db.conversation.deleteMany({ where });
  await db.customer.deleteMany({ where: { ...partition, id } });
  for (const conversation of conversations) {
    const ids = { id: conversation.id, environment, customerId: id };
    await recordEvent(caller, "conversation.deleted", ids, { conversation });
  }
  await recordEvent(caller, "customer.deleted", { id, environment });
  await recordAudit(caller, {
    action: "customer.deleted",
    targetId: id,
    changes: { before: { conversations: conversations.length } },
  });
  return { id, deleted: true as const };
}
