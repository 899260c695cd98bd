import type { UpdateConversation } from "@/lib/conversations/schema";
import type { ActionResult } from "@/lib/platform/action-result";

/**
 * What the composer can send. In test mode only, you can also write as the customer, to see what
 * their message triggers.
 */
export type SendKind = "reply" | "note" | "customer";

export type SendMessage = (sent: {
  kind: SendKind;
  text: string;
  key: string;
  resolves: boolean;
}) => Promise<ActionResult>;

/** The fields that the inbox can change, as they are sent to the server: times are strings. */
export type ConversationPatch = Omit<Partial<UpdateConversation>, "snoozedUntil"> & {
  snoozedUntil?: string;
};
export type UpdateConversationAction = (patch: ConversationPatch) => Promise<ActionResult>;

/** A search result: the name to show, and details that tell it apart from others. */
export type FoundCustomer = { id: string; name: string; detail: string };
export type FindCustomers = (q: string) => Promise<ActionResult<FoundCustomer[]>>;
