import type { Priority } from "@/prisma/generated/enums";
import type { EventType } from "./event-types";

/** The fields of a conversation that a webhook's filter compares. */
export type FilterableConversation = {
  channelId: string;
  tags: string[];
  priority: Priority;
  assigneeId: string | null;
  agentId: string | null;
};

/** The families of events that are about a conversation. All other events pass every filter. */
export const families = ["conversation", "message"] as const;

const pick = ({ channelId, tags, priority, assigneeId, agentId }: FilterableConversation) => ({
  channelId,
  tags,
  priority,
  assigneeId,
  agentId,
});

/**
 * What filters compare an event with: its conversation, for a change also as it was before. A
 * receiver thus learns that a conversation has left its filter. Null for an event about none.
 */
export function filterableStates(
  type: EventType,
  object: object,
  {
    conversation,
    previousAttributes,
  }: {
    conversation?: FilterableConversation | null | undefined;
    previousAttributes?: Record<string, unknown> | undefined;
  },
): FilterableConversation[] | null {
  if (conversation) return [pick(conversation)];
  if (!type.startsWith("conversation.")) return null;
  const after = pick(object as FilterableConversation);
  return previousAttributes ? [after, pick({ ...after, ...previousAttributes })] : [after];
}
