import type { Conversation } from "@/lib/conversations/schema";
import type { ConversationPatch } from "./action-types";

/**
 * The updates that undo resolving a conversation. From `RESOLVED`, it has to be reopened before it
 * gets its former status.
 */
export function patchesToUndoResolving({
  status,
  snoozedUntil,
}: Pick<Conversation, "status" | "snoozedUntil">): ConversationPatch[] {
  if (status === "PENDING") return [{ status: "OPEN" }, { status }];
  if (status === "SNOOZED" && snoozedUntil) return [{ status: "OPEN" }, { status, snoozedUntil }];
  return [{ status: "OPEN" }];
}
