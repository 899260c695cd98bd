"use client";

import type { ReactNode } from "react";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { LinkPendingBar } from "@/components/ui/link-pending-bar";

type ConversationRowProps = {
  id: string;
  href: string;
  name: string;
  subject: string | null;
  tags: string[];
  assigneeName: string | null;
  isUnread: boolean;
  isOpen: boolean;
  /** Whether the role allows changes. */
  isSelectable: boolean;
  time: ReactNode;
  priority: ReactNode;
  /** The newest message, or where a search found the conversation. */
  preview: ReactNode;
  status: ReactNode;
};

const mostTags = 2;

/**
 * Three lines: name and time, subject and tags, the newest message. The row is a link, next to a
 * checkbox that selects it for `BulkActions`.
 */
export function ConversationRow(row: ConversationRowProps) {
  const { id, href, name, subject, tags, assigneeName, isUnread, isOpen, isSelectable } = row;
  const { time, priority, preview, status } = row;
  return (
    <li className="relative flex hover:bg-sunken/60 has-aria-[current]:bg-accent-soft has-checked:bg-accent-soft">
      {isSelectable ? (
        <label className="flex w-9 shrink-0 items-center justify-center">
          <span className="sr-only">Select {name}</span>
          <input type="checkbox" name="selected" value={id} />
        </label>
      ) : null}
      <Link
        href={href}
        prefetch={false}
        data-item
        aria-current={isOpen ? "page" : undefined}
        className={`block h-18 min-w-0 flex-1 py-1.5 pr-3 outline-offset-[-2px] ${isSelectable ? "" : "pl-4"}`}
      >
        <LinkPendingBar />
        <span className="flex items-baseline gap-2">
          {isUnread ? (
            <span className="size-2 shrink-0 self-center rounded-full bg-accent">
              <span className="sr-only">Unread: </span>
            </span>
          ) : null}
          <span
            dir="auto"
            className={`min-w-0 flex-1 truncate ${isUnread ? "font-semibold" : "font-medium"}`}
          >
            {name}
          </span>
          <span className="shrink-0 text-muted text-xs">{time}</span>
        </span>
        <span className="flex items-center gap-1.5">
          {priority}
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {subject ?? <span className="text-muted">No subject</span>}
          </span>
          <Tags tags={tags} />
        </span>
        <span className="flex items-center gap-1.5 text-muted">
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {preview}
          </span>
          {status}
          {assigneeName ? (
            <span className="max-w-24 shrink-0 truncate text-xs">
              <span className="sr-only">Assigned to </span>
              <bdi>{assigneeName}</bdi>
            </span>
          ) : null}
        </span>
      </Link>
    </li>
  );
}

function Tags({ tags }: { tags: string[] }) {
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
