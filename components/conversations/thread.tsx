import { ArrowLeft, ChevronDown, ChevronUp, PanelRight } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "@/components/ui/badge";
import { ButtonLink } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import type { Message } from "@/lib/conversations/message-schema";
import type { Conversation } from "@/lib/conversations/schema";
import { statusLabels, statusVariants } from "./labels";
import { MessageItem } from "./message-item";
import { ScrollToMessage } from "./scroll-to-message";

type ThreadProps = {
  conversation: Conversation;
  title: string;
  customerName: string | null;
  messages: Message[];
  /** Links to the previous messages and to the newest ones; null if there is nothing to link to. */
  earlierHref: string | null;
  newestHref: string | null;
  listHref: string;
  detailsHref: string;
  inspectHref: (id: string) => string;
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
  now,
  ...shown
}: ThreadProps) {
  const { status, snoozedUntil } = conversation;
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 border-line border-b px-4 py-2.5">
        <div className="flex min-w-0 items-center gap-2">
          <ButtonLink
            variant="quiet"
            size="icon"
            href={listHref}
            aria-label="Back to the list"
            className="-ml-2 lg:hidden"
          >
            <ArrowLeft className="size-4" aria-hidden="true" />
          </ButtonLink>
          <h2 className="truncate font-semibold text-base">{title}</h2>
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
      <Messages conversation={conversation} now={now} {...shown} />
      {composer}
    </>
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
  earlierHref,
  newestHref,
  inspectHref,
  now,
}: Pick<
  ThreadProps,
  | "conversation"
  | "customerName"
  | "messages"
  | "earlierHref"
  | "newestHref"
  | "inspectHref"
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
            {messages.map((message) => (
              <MessageItem
                key={message.id}
                message={message}
                customerName={customerName}
                inspectHref={inspectHref(message.id)}
                now={now}
              />
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
