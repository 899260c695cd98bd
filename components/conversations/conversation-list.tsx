import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { LinkPendingBar } from "@/components/ui/link-pending-bar";
import { Time } from "@/components/ui/time";
import type { Conversation } from "@/lib/conversations/schema";
import type { SearchHighlight } from "@/lib/conversations/search-schema";
import { excerptPieces, fromFirstHit } from "@/lib/platform/excerpt";
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

const mostTags = 2;

/**
 * Rows of three lines: name and time, subject and tags, the newest message. A row is a link, next to
 * a checkbox that selects it for `BulkActions`.
 */
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
        <li
          key={item.id}
          className="relative flex hover:bg-sunken/60 has-aria-[current]:bg-accent-soft has-checked:bg-accent-soft"
        >
          {isSelectable ? (
            <label className="flex w-9 shrink-0 items-center justify-center">
              <span className="sr-only">Select {nameOf(item)}</span>
              <input type="checkbox" name="selected" value={item.id} />
            </label>
          ) : null}
          <Link
            href={item.href}
            prefetch={false}
            data-item
            aria-current={item.id === openId ? "page" : undefined}
            className={`block h-18 min-w-0 flex-1 py-1.5 pr-3 outline-offset-[-2px] ${isSelectable ? "" : "pl-4"}`}
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
            <span className="flex items-center gap-1.5">
              <Priority priority={item.priority} />
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {item.subject ?? <span className="text-muted">No subject</span>}
              </span>
              <Tags tags={item.tags} />
            </span>
            <span className="flex items-center gap-1.5 text-muted">
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {item.hit ? (
                  <Hit hit={item.hit} />
                ) : (
                  (item.lastMessagePreview ?? withoutPreview(item))
                )}
              </span>
              {showsStatus ? (
                <Badge variant={statusVariants[item.status]}>{statusLabels[item.status]}</Badge>
              ) : null}
              {item.assigneeName ? (
                <span className="max-w-24 shrink-0 truncate text-xs">
                  <span className="sr-only">Assigned to </span>
                  <bdi>{item.assigneeName}</bdi>
                </span>
              ) : null}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const nameOf = ({ customerName }: ConversationItem): string => customerName ?? "No customer";

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

function Tags({ tags }: Pick<ConversationItem, "tags">) {
  const more = tags.length - mostTags;
  return (
    <>
      {tags.slice(0, mostTags).map((tag) => (
        <Badge key={tag}>
          <span dir="auto" className="max-w-16 truncate">
            {tag}
          </span>
        </Badge>
      ))}
      {more > 0 ? (
        <span className="shrink-0 text-muted text-xs">
          +{more}
          <span className="sr-only"> more tags</span>
        </span>
      ) : null}
    </>
  );
}
