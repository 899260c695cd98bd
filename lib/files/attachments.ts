import type { Partition } from "@/lib/platform/caller";
import { linkTo } from "./links";
import type { Attachment, StoredAttachment } from "./schema";

/** Instead of a link, where it would be stored. */
export const noLink = { url: null, urlExpiresAt: null };

/** Nearly every message has none, so they share one list. */
const none: Attachment[] = [];

/** The attachments in a message's row, as events have them: without links. */
export function toAttachments(stored: readonly StoredAttachment[] | null): Attachment[] {
  if (!stored || stored.length === 0) return none;
  return toStoredAttachments(stored).map((each) => ({ ...each, ...noLink }));
}

/** What the message's row stores of them. */
export const toStoredAttachments = (attachments: readonly StoredAttachment[]): StoredAttachment[] =>
  attachments.map(({ id, name, contentType, sizeBytes }) => ({ id, name, contentType, sizeBytes }));

type WithAttachments = { attachments: Attachment[] };

/** A message as a response has it: with links that are valid from now on. */
export const withLinks = <Message extends WithAttachments>(
  partition: Partition,
  message: Message,
): Message => changed(message, (each) => ({ ...each, ...linkTo(partition, each.id) }));

export const withoutLinks = <Message extends WithAttachments>(message: Message): Message =>
  changed(message, (each) => ({ ...each, ...noLink }));

const changed = <Message extends WithAttachments>(
  message: Message,
  change: (each: Attachment) => Attachment,
): Message =>
  message.attachments.length === 0
    ? message
    : { ...message, attachments: message.attachments.map(change) };
