import { listEventsOfObject } from "@/lib/events/of-object";
import type { Caller } from "@/lib/platform/caller";
import type { Conversation, ConversationStatus } from "./schema";

/** A change of a conversation's status, its assignee, or both. */
export type HistoryItem = {
  eventId: string;
  at: Date;
  status: { from: ConversationStatus; to: ConversationStatus } | null;
  /** Ids of members; null for no one. */
  assignee: { from: string | null; to: string | null } | null;
};

const mostChanges = 100;

/** The latest changes, oldest first, as far back as events are stored. */
export async function conversationHistory(
  caller: Caller,
  { id }: Pick<Conversation, "id">,
): Promise<HistoryItem[]> {
  const { data } = await listEventsOfObject(caller, {
    objectId: id,
    types: ["conversation.status_changed", "conversation.updated"],
    limit: mostChanges,
  });
  return data
    .toReversed()
    .flatMap(({ id: eventId, timestamp, data: { object, previousAttributes } }) => {
      const now = object as Pick<Conversation, "status" | "assigneeId">;
      const before = (previousAttributes ?? {}) as Partial<typeof now>;
      const status = before.status ? { from: before.status, to: now.status } : null;
      const assignee =
        before.assigneeId === undefined ? null : { from: before.assigneeId, to: now.assigneeId };
      return status || assignee ? [{ eventId, at: new Date(timestamp), status, assignee }] : [];
    });
}
