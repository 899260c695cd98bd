import type { BadgeVariant } from "@/components/ui/badge";
import type { Conversation, ConversationStatus } from "@/lib/conversations/schema";

export const statusLabels: Record<ConversationStatus, string> = {
  OPEN: "Open",
  PENDING: "Pending",
  SNOOZED: "Snoozed",
  RESOLVED: "Resolved",
  CLOSED: "Closed",
};

export const statusVariants: Record<ConversationStatus, BadgeVariant> = {
  OPEN: "accent",
  PENDING: "warn",
  SNOOZED: "plain",
  RESOLVED: "good",
  CLOSED: "plain",
};

export const priorityLabels: Record<Conversation["priority"], string> = {
  LOW: "Low",
  NORMAL: "Normal",
  HIGH: "High",
  URGENT: "Urgent",
};
