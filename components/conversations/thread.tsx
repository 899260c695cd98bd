import { ArrowLeft, ChevronDown, ChevronUp, PanelRight } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { ArrivalHeading } from "@/components/ui/arrival-heading";
import { Badge } from "@/components/ui/badge";
import { ButtonLink } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { dayOf } from "@/components/ui/viewer-time";
import type { Message } from "@/lib/conversations/message-schema";
import type { Conversation, ConversationStatus } from "@/lib/conversations/schema";
import type { MessageDelivery } from "@/lib/deliveries/search";
import type { RedactMessage } from "./action-types";
import { statusLabels, statusVariants } from "./labels";
import { MessageItem } from "./message-item";
import { ScrollToMessage } from "./scroll-to-message";

/** A change of the status, the assignee, or both. */
export type ConversationChange = {
  eventId: string;
  at: Date;
  status: { from: ConversationStatus; to: ConversationStatus } | null;
  isAssignment: boolean;
  /** Null for no one. */
  assigneeName: string | null;
};

type ThreadProps = {
  conversation: Conversation;
  title: string;
  customerName: string | null;
  messages: Message[];
  /** Between the messages, oldest first. */
  changes: ConversationChange[];
  /** The names of other members who have the conversation on their screen. */
  present: string[];
  /** The deliveries of replies, by message. */
  deliveries: Map<string, MessageDelivery[]>;
  base: string;
  /** Links to the previous messages and to the newest ones; null if there is nothing to link to. */
  earlierHref: string | null;
  newestHref: string | null;
  listHref: string;
  detailsHref: string;
  inspectHref: (id: string) => string;
  /** Null if the role does not allow it. */
  redact: RedactMessage | null;
  actions: ReactNode;
  /** The composer, or why the user cannot write. */
  composer: ReactNode;
  now: Date;
};

export function Thread({
  conversation,
  title,
  actions,
  composer,
  listHref,
  detailsHref,
  present,
  now,
  ...shown
}: ThreadProps) {
  const { status, snoozedUntil } = conversation;
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 border-line border-b px-4 py-2.5">
        <div className="flex min-w-0 items-center gap-2 md:flex-1 md:basis-40">
          <ButtonLink
            variant="quiet"
            size="icon"
            href={listHref}
            aria-label="Back to the list"
            className="-ml-2 lg:hidden"
          >
            <ArrowLeft className="size-4" aria-hidden="true" />
          </ButtonLink>
          <ArrivalHeading level="h2" dir="auto" className="truncate font-semibold text-base">
            {title}
          </ArrivalHeading>
          <Badge variant={statusVariants[status]}>{statusLabels[status]}</Badge>
          {snoozedUntil ? (
            <span className="whitespace-nowrap text-muted text-xs">
              opens <Time at={new Date(snoozedUntil)} now={now} />
            </span>
          ) : null}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {actions}
          <ButtonLink
            variant="secondary"
            size="small"
            href={detailsHref}
            scroll={false}
            className="xl:hidden"
          >
            <PanelRight className="size-4" aria-hidden="true" />
            Details
          </ButtonLink>
        </div>
      </header>
      <p
        role="status"
        className={present.length > 0 ? "border-line border-b bg-warn-soft px-4 py-1.5" : "sr-only"}
      >
        {present.length > 0 ? (
          <>
            <bdi>{listOf.format(present)}</bdi> {present.length === 1 ? "is" : "are"} viewing this
            conversation, too.
          </>
        ) : null}
      </p>
      <Messages conversation={conversation} now={now} {...shown} />
      {composer}
    </>
  );
}

const listOf = new Intl.ListFormat("en");

type Entry = { at: Date; message: Message } | { at: Date; change: ConversationChange };

/** Messages and changes by time. A message comes before the change that it caused. */
function entriesOf(messages: Message[], changes: ConversationChange[]): Entry[] {
  return [
    ...messages.map((message) => ({ at: new Date(message.createdAt), message })),
    ...changes.map((change) => ({ at: change.at, change })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());
}

type ChangeItemProps = { change: ConversationChange; base: string; now: Date };

function ChangeItem({ change, base, now }: ChangeItemProps) {
  const { eventId, at, status, isAssignment, assigneeName } = change;
  return (
    <li className="text-center text-muted text-xs">
      {status ? `${statusLabels[status.from]} → ${statusLabels[status.to]}` : null}
      {status && isAssignment ? ", " : null}
      {isAssignment ? (
        assigneeName ? (
          <>
            {status ? "assigned" : "Assigned"} to <bdi>{assigneeName}</bdi>
          </>
        ) : status ? (
          "unassigned"
        ) : (
          "Unassigned"
        )
      ) : null}{" "}
      ·{" "}
      <Link
        href={`${base}/events/${eventId}`}
        prefetch={false}
        className="underline underline-offset-2 hover:text-ink"
      >
        <Time at={at} now={now} />
      </Link>
    </li>
  );
}

type DaySeparatorProps = { entry: Entry; previous: Entry | undefined; now: Date };

/** Above the first message or change of each day. */
function DaySeparator({ entry, previous, now }: DaySeparatorProps) {
  const day = dayOf(entry.at);
  if (previous && dayOf(previous.at) === day) return null;
  return (
    <li className="flex items-center gap-3 text-muted text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {day === dayOf(now) ? "Today" : day}
    </li>
  );
}

/**
 * Laid out from the end: it opens at the newest message and stays there when new ones arrive, unless
 * the user scrolls up.
 */
function Messages({
  conversation,
  customerName,
  messages,
  changes,
  deliveries,
  base,
  earlierHref,
  newestHref,
  inspectHref,
  redact,
  now,
}: Pick<
  ThreadProps,
  | "conversation"
  | "customerName"
  | "messages"
  | "changes"
  | "deliveries"
  | "base"
  | "earlierHref"
  | "newestHref"
  | "inspectHref"
  | "redact"
  | "now"
>) {
  return (
    <section
      aria-label="Messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard.
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto outline-offset-[-2px]"
    >
      <ScrollToMessage />
      <div className="mb-auto space-y-4 p-4">
        {earlierHref ? (
          <p className="text-center">
            <ButtonLink variant="quiet" size="small" href={earlierHref} scroll={false}>
              <ChevronUp className="size-4" aria-hidden="true" />
              Earlier messages
            </ButtonLink>
          </p>
        ) : null}
        {messages.length === 0 ? (
          <p className="py-8 text-center text-muted">No messages yet.</p>
        ) : null}
        <div key={conversation.id} role="log" aria-label="Messages, oldest first">
          <ol className="space-y-4">
            {entriesOf(messages, changes).map((entry, index, entries) => (
              <Fragment key={"message" in entry ? entry.message.id : entry.change.eventId}>
                <DaySeparator entry={entry} previous={entries[index - 1]} now={now} />
                {"change" in entry ? (
                  <ChangeItem change={entry.change} base={base} now={now} />
                ) : (
                  <MessageItem
                    message={entry.message}
                    customerName={customerName}
                    inspectHref={inspectHref(entry.message.id)}
                    redact={
                      redact && !entry.message.redactedAt
                        ? redact.bind(null, entry.message.id)
                        : null
                    }
                    deliveries={deliveries.get(entry.message.id) ?? []}
                    base={base}
                    now={now}
                  />
                )}
              </Fragment>
            ))}
          </ol>
        </div>
        {newestHref ? (
          <p className="text-center">
            <ButtonLink variant="secondary" size="small" href={newestHref} scroll={false}>
              <ChevronDown className="size-4" aria-hidden="true" />
              Newest messages
            </ButtonLink>
          </p>
        ) : null}
      </div>
    </section>
  );
}
