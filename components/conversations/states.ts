import type { BadgeVariant } from "@/components/ui/badge";
import type {
  Conversation,
  ConversationStatus,
  UpdateConversation,
} from "@/lib/conversations/schema";
import type { ActionResult } from "@/lib/platform/action-result";

export const statusNames: Record<ConversationStatus, string> = {
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

export const priorityNames: Record<Conversation["priority"], string> = {
  LOW: "Low",
  NORMAL: "Normal",
  HIGH: "High",
  URGENT: "Urgent",
};

/**
 * What the composer can send. Only in test, one can also write as the customer, to see what their
 * message sets off.
 */
export type SendKind = "reply" | "note" | "customer";

export type SendMessage = (sent: {
  kind: SendKind;
  text: string;
  key: string;
  resolves: boolean;
}) => Promise<ActionResult>;

/** The fields that can be changed here, as they travel: times are texts. */
export type ConversationPatch = Omit<Partial<UpdateConversation>, "snoozedUntil"> & {
  snoozedUntil?: string;
};
export type UpdateThis = (patch: ConversationPatch) => Promise<ActionResult>;

/** One to choose: what to call them, and what else tells them apart. */
export type FoundCustomer = { id: string; name: string; detail: string };
export type FindCustomers = (q: string) => Promise<ActionResult<FoundCustomer[]>>;
