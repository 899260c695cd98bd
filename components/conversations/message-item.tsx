import { DeleteDialog } from "@/components/shell/delete-dialog";
import { CopyButton } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import type { Message } from "@/lib/conversations/message-schema";
import type { MessageDelivery } from "@/lib/deliveries/search";
import type { ActionResult } from "@/lib/platform/action-result";
import { Attachments } from "./attachments";
import { JsonLink } from "./json-link";
import { LinkedText } from "./linked-text";
import { MessageDeliveries } from "./message-deliveries";

const authorNames: Record<Message["author"]["type"], string> = {
  CUSTOMER: "Customer",
  USER: "Team member",
  AGENT: "Agent",
  API: "API",
  SYSTEM: "System",
};

/**
 * Customer messages on the left, replies on the right, and internal notes with their own color and
 * label.
 */
const directionStyles: Record<
  Message["direction"],
  { row: string; bubble: string; says: string | null }
> = {
  INBOUND: { row: "items-start", bubble: "bg-sunken", says: null },
  OUTBOUND: { row: "items-end", bubble: "bg-accent-soft", says: null },
  INTERNAL: {
    row: "items-end",
    bubble: "border border-warn/40 bg-warn-soft",
    says: "Internal note",
  },
};

type MessageItemProps = {
  message: Message;
  customerName: string | null;
  inspectHref: string;
  /** Null if it cannot be redacted, or was already. */
  redact: (() => Promise<ActionResult>) | null;
  /** The deliveries of a reply to webhooks. Empty for other messages. */
  deliveries: MessageDelivery[];
  base: string;
  now: Date;
};

export function MessageItem({
  message,
  customerName,
  inspectHref,
  redact,
  deliveries,
  base,
  now,
}: MessageItemProps) {
  const { author, direction } = message;
  const { row, bubble, says } = directionStyles[direction];
  const name =
    author.name ?? (author.type === "CUSTOMER" ? customerName : null) ?? authorNames[author.type];
  return (
    <li id={message.id} className={`group flex scroll-mt-4 flex-col ${row}`}>
      <p className="mb-1 flex flex-wrap items-center gap-x-2 text-muted text-xs">
        {says ? <span className="font-medium text-warn">{says}</span> : null}
        <bdi className="font-medium text-ink">{name}</bdi>
        {author.name && author.type !== "USER" && author.type !== "CUSTOMER" ? (
          <span>{authorNames[author.type]}</span>
        ) : null}
        <a href={`#${message.id}`} className="hover:underline">
          <Time at={new Date(message.createdAt)} now={now} />
        </a>
      </p>
      {message.text || message.redactedAt ? (
        <div
          dir="auto"
          className={`max-w-[min(36rem,88%)] whitespace-pre-wrap break-words rounded-2xl px-3.5 py-2 group-data-found:outline-2 group-data-found:outline-accent ${bubble}`}
        >
          {message.redactedAt ? <span className="text-muted italic">Message redacted</span> : null}
          {message.text ? <LinkedText text={message.text} /> : null}
        </div>
      ) : null}
      <Attachments attachments={message.attachments} isRight={direction !== "INBOUND"} />
      {deliveries.length > 0 ? <MessageDeliveries deliveries={deliveries} base={base} /> : null}
      <p className="mt-0.5 flex items-center opacity-0 transition-opacity focus-within:opacity-100 group-hover:opacity-100 group-data-found:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={message.id} label={`Copy ${message.id}`} variant="quiet" size="tiny" />
        <JsonLink href={inspectHref} name={`Message ${message.sequence}`} />
        {redact ? (
          <DeleteDialog
            trigger="Redact…"
            label={`Redact message ${message.sequence}`}
            size="small"
            title="Redact this message?"
            environment={message.environment}
            confirm="Redact message"
            pending="Redacting…"
            remove={redact}
            done="Message redacted."
          >
            <p>
              This removes its text, metadata and attachments for everyone, also from its event and
              the request log. Its author and time stay. This cannot be undone.
            </p>
          </DeleteDialog>
        ) : null}
      </p>
    </li>
  );
}
