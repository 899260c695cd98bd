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
  /** Ids of uploaded files. */
  attachments: string[];
  key: string;
  resolves: boolean;
}) => Promise<ActionResult>;

/** The fields that the inbox can change, as they are sent to the server: times are strings. */
export type ConversationPatch = Omit<Partial<UpdateConversation>, "snoozedUntil"> & {
  snoozedUntil?: string;
};
export type UpdateConversationAction = (patch: ConversationPatch) => Promise<ActionResult>;

/** One change of several conversations. */
export type BulkChange =
  | { status: "RESOLVED" }
  | { assigneeId: string | null }
  | { addTag: string };

/** A changed conversation, and the updates that undo the change. */
export type UndoStep = { id: string; patches: ConversationPatch[] };

export type ChangeConversations = (
  ids: string[],
  change: BulkChange,
) => Promise<ActionResult<{ changed: UndoStep[]; skipped: number }>>;
export type UndoConversations = (steps: UndoStep[]) => Promise<ActionResult>;

export type DeleteConversation = () => Promise<ActionResult>;
export type RedactMessage = (id: string) => Promise<ActionResult>;

export type Member = { id: string; name: string; email: string };
export type ListMembers = () => Promise<ActionResult<Member[]>>;

/** A search result: the name to show, and details that tell it apart from others. */
export type Found = { id: string; name: string; detail: string };
export type Find = (q: string) => Promise<ActionResult<Found[]>>;
