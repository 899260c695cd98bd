import type { EventTypeOf } from "@/lib/events/event-types";
import { toAttachments, toStoredAttachments } from "@/lib/files/attachments";
import type { Attachment, StoredAttachment } from "@/lib/files/schema";
import type { Partition } from "@/lib/platform/caller";
import type { Metadata } from "@/lib/platform/metadata";
import { newId } from "@/lib/resources/ids";
import type { CreateMessage, Message } from "./message-schema";
import type { MessageRow } from "./messages.sql";

/** What a message uses of its conversation's customer. */
export type MessageCustomer = { id: string; name: string | null } | null;

/**
 * A message as it will be stored and returned. Ids and times are made here, so both are known
 * before any statement runs.
 * @param customer the conversation's customer: the author of a customer's message without an
 * author's id
 * @param attachments the files of `body.attachments`, locked
 */
export function newMessage(
  partition: Partition,
  { id: conversationId, customer }: { id: string; customer: MessageCustomer },
  sequence: number,
  body: CreateMessage,
  at: Date,
  attachments: Attachment[] = toAttachments(null),
): Message {
  const isNote = body.direction === "INTERNAL";
  const author = body.author ?? { type: isNote ? ("API" as const) : ("CUSTOMER" as const) };
  const theirs = author.type === "CUSTOMER" && !author.id ? customer : null;
  return {
    id: newId("message", at),
    environment: partition.environment,
    conversationId,
    sequence,
    direction: isNote ? "INTERNAL" : author.type === "CUSTOMER" ? "INBOUND" : "OUTBOUND",
    author: {
      type: author.type,
      id: author.id ?? theirs?.id ?? null,
      name: author.name ?? theirs?.name ?? null,
    },
    text: body.text ?? "",
    attachments,
    externalId: body.externalId ?? null,
    metadata: body.metadata ?? {},
    createdAt: at.toISOString(),
    redactedAt: null,
  };
}

/** The type of a message's event, or null for a note, which has none. */
export function messageEventType({ direction }: Message): EventTypeOf<"message"> | null {
  return ({ INBOUND: "message.received", OUTBOUND: "message.sent", INTERNAL: null } as const)[
    direction
  ];
}

const previewLength = 160;

/**
 * A preview for lists: the start of the text. A message without text shows the names of its files.
 * Never cuts a surrogate pair in half.
 */
export function previewOf(message: Pick<Message, "text" | "attachments">): string {
  const text = message.text || message.attachments.map(({ name }) => name).join(", ");
  if (text.length <= previewLength) return text;
  const cut = text.slice(0, previewLength - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    environment: row.environment,
    conversationId: row.conversationId,
    sequence: row.sequence,
    direction: row.direction,
    author: { type: row.authorType, id: row.authorId, name: row.authorName },
    text: row.text,
    attachments: toAttachments(row.attachments as StoredAttachment[] | null),
    externalId: row.externalId,
    metadata: row.metadata as Metadata,
    createdAt: row.createdAt,
    redactedAt: row.redactedAt,
  };
}

/** The columns of a row, for Prisma. */
export function toMessageRow(partition: Partition, message: Message) {
  const { author, createdAt, attachments, redactedAt: _redactedAt, ...columns } = message;
  return {
    ...partition,
    ...columns,
    ...(attachments.length > 0 && { attachments: toStoredAttachments(attachments) }),
    authorType: author.type,
    authorId: author.id,
    authorName: author.name,
    createdAt: new Date(createdAt),
  };
}
