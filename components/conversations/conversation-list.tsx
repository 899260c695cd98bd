import Link from "next/link";
import { Badge } from "@/components/ui/badge";
import { LinkPendingBar } from "@/components/ui/link-pending-bar";
import { Time } from "@/components/ui/time";
import type { Conversation } from "@/lib/conversations/schema";
import type { SearchHighlight } from "@/lib/conversations/search-schema";
import { excerptPieces } from "@/lib/platform/excerpt";
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
  now: Date;
};

/** Each row is a link with the customer's name and the newest message. */
export function ConversationList({ items, openId, showsStatus, now }: ConversationListProps) {
  return (
    <ul aria-label="Conversations" className="divide-y divide-line">
      {items.map((item) => (
        <li key={item.id}>
          <Link
            href={item.href}
            data-item
            aria-current={item.id === openId ? "page" : undefined}
            className="relative block px-4 py-3 outline-offset-[-2px] hover:bg-sunken/60 aria-[current]:bg-accent-soft"
          >
            <LinkPendingBar />
            <span className="flex items-baseline gap-2">
              {item.isUnread ? (
                <span className="size-2 shrink-0 self-center rounded-full bg-accent">
                  <span className="sr-only">Unread: </span>
                </span>
              ) : null}
              <span
                dir="auto"
                className={`min-w-0 flex-1 truncate ${item.isUnread ? "font-semibold" : "font-medium"}`}
              >
                {nameOf(item)}
              </span>
              <span className="shrink-0 text-muted text-xs">
                <Time at={new Date(item.updatedAt)} now={now} />
              </span>
            </span>
            {item.subject ? <span className="mt-0.5 block truncate">{item.subject}</span> : null}
            <span className="mt-0.5 line-clamp-2 break-words text-muted">
              {item.hit ? <Hit hit={item.hit} /> : (item.lastMessagePreview ?? "No messages yet")}
            </span>
            <Marks item={item} showsStatus={showsStatus} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Hit({ hit }: { hit: SearchHighlight }) {
  return excerptPieces(hit).map(({ text, isHit }, index) =>
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

function Marks({ item, showsStatus }: { item: ConversationItem; showsStatus: boolean }) {
  const isUrgent = item.priority === "HIGH" || item.priority === "URGENT";
  return (
    <span className="mt-1.5 flex flex-wrap items-center gap-1.5 text-muted text-xs">
      {showsStatus ? (
        <Badge variant={statusVariants[item.status]}>{statusLabels[item.status]}</Badge>
      ) : null}
      {isUrgent ? (
        <Badge variant={item.priority === "URGENT" ? "danger" : "warn"}>
          {priorityLabels[item.priority]}
        </Badge>
      ) : null}
      <span className="max-w-32 truncate">{item.channelId}</span>
      {item.assigneeName ? <span className="max-w-32 truncate">· {item.assigneeName}</span> : null}
      {item.tags.slice(0, 3).map((tag) => (
        <Badge key={tag}>
          <span className="max-w-24 truncate">{tag}</span>
        </Badge>
      ))}
    </span>
  );
}
