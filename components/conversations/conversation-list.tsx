import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import type { Conversation } from "@/lib/conversations/schema";
import type { SearchHighlight } from "@/lib/conversations/search-schema";
import { excerptPieces, fromFirstHit } from "@/lib/platform/excerpt";
import { ConversationRow } from "./conversation-row";
import { priorityLabels, statusLabels, statusVariants } from "./labels";

export type ConversationItem = Conversation & {
  href: string;
  customerName: string | null;
  assigneeName: string | null;
  /** Whether the viewer has not seen its newest message of the customer. */
  isUnread: boolean;
  /** Where a search found it. */
  hit: SearchHighlight | null;
};

type ConversationListProps = {
  items: ConversationItem[];
  openId: string | null;
  showsStatus: boolean;
  /** Whether the role allows changes. */
  isSelectable: boolean;
  now: Date;
};

export function ConversationList({
  items,
  openId,
  showsStatus,
  isSelectable,
  now,
}: ConversationListProps) {
  return (
    <ul aria-label="Conversations" data-results className="divide-y divide-line">
      {items.map((item) => (
        <ConversationRow
          key={item.id}
          id={item.id}
          href={item.href}
          name={item.customerName ?? "No customer"}
          subject={item.subject}
          tags={item.tags}
          assigneeName={item.assigneeName}
          isUnread={item.isUnread}
          isOpen={item.id === openId}
          isSelectable={isSelectable}
          time={<Time at={new Date(item.updatedAt)} now={now} />}
          priority={<Priority priority={item.priority} />}
          preview={
            item.hit ? <Hit hit={item.hit} /> : (item.lastMessagePreview ?? withoutPreview(item))
          }
          status={
            showsStatus ? (
              <Badge variant={statusVariants[item.status]}>{statusLabels[item.status]}</Badge>
            ) : null
          }
        />
      ))}
    </ul>
  );
}

/** The last message has no text to show if it was redacted. Notes are counted, but not shown. */
function withoutPreview({ lastMessageAt, messageCount }: ConversationItem): string {
  if (lastMessageAt) return "Message redacted";
  return messageCount > 0 ? "Only notes so far" : "No messages yet";
}

function Hit({ hit }: { hit: SearchHighlight }) {
  return excerptPieces(fromFirstHit(hit)).map(({ text, isHit }, index) =>
    isHit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other identity
      <mark key={index} className="rounded-sm bg-accent-soft font-medium text-ink">
        {text}
      </mark>
    ) : (
      text
    ),
  );
}

function Priority({ priority }: Pick<ConversationItem, "priority">) {
  if (priority !== "HIGH" && priority !== "URGENT") return null;
  return (
    <Badge variant={priority === "URGENT" ? "danger" : "warn"}>{priorityLabels[priority]}</Badge>
  );
}
