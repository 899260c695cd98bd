import { z } from "zod";
import { attachment } from "@/lib/files/schema";
import { metadata } from "@/lib/platform/metadata";
import { distinct, environment, integer, storedText, timestamp } from "@/lib/platform/schema";
import { idOf, idParameter, reference } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";

export const authorTypes = ["CUSTOMER", "USER", "AGENT", "API", "SYSTEM"] as const;
export const directions = ["INBOUND", "OUTBOUND", "INTERNAL"] as const;

const direction = z.enum(directions).meta({
  id: "MessageDirection",
  description:
    "`INBOUND` from the customer, `OUTBOUND` to the customer, `INTERNAL` for a note that only members see.",
});
const authorType = z.enum(authorTypes).meta({
  id: "AuthorType",
  description:
    "Who wrote the message: the customer, a member (`USER`), an agent, a program (`API`) or Parlance itself (`SYSTEM`).",
});
const described = {
  text: "The message as plain text.",
  authorId:
    "The id of the author: any value of your own, or the id of a customer, member or agent.",
  authorName: "The name to show for the author.",
  externalId: "Your own id for the message.",
};

const maximumMessageLength = 10_000;

export const maximumAttachments = 10;

/** With attachments, a message may have no text. */
const optionalText = z
  .string()
  .max(maximumMessageLength)
  .optional()
  .meta({
    description: `${described.text} May be missing or empty if the message has attachments.`,
  });

const attachments = distinct(z.array(reference("file")).max(maximumAttachments))
  .optional()
  .meta({
    description:
      "The ids of files from `POST /files`, in the order to show them. A file can be attached once.",
  });

/** What a new message can contain. */
export const messageContent = { text: optionalText, attachments };

type Content = { text?: string | undefined; attachments?: string[] | undefined };

/** Checked even if other fields are invalid, so that all issues are reported together. */
const ofText = (code: string) => ({
  path: ["text"],
  params: { code },
  when: ({ value }: { value: unknown }) => typeof value === "object" && value !== null,
});

const hasFiles = ({ attachments }: Content): boolean =>
  Array.isArray(attachments) && attachments.length > 0;

/** A message must have a text or attachments. */
export const requireContent = <Schema extends z.ZodType<Content>>(schema: Schema): Schema =>
  schema
    .refine((content) => content.text !== undefined || hasFiles(content), {
      ...ofText("required"),
      message: "is required unless there are attachments",
    })
    .refine((content) => content.text !== "" || hasFiles(content), {
      ...ofText("too_small"),
      message: "must have at least 1 character unless there are attachments",
    });

export const messageText = z
  .string()
  .min(1)
  .max(maximumMessageLength)
  .meta({ description: described.text });

export const author = z
  .strictObject({
    type: authorType,
    id: z.string().min(1).max(255).nullish().meta({ description: described.authorId }),
    name: z.string().min(1).max(200).nullish().meta({ description: described.authorName }),
  })
  .meta({
    description:
      "Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name.",
  });

/** The direction of a message by this author, unless it is a note. */
const directionOf = (type: (typeof authorTypes)[number]) =>
  type === "CUSTOMER" ? "INBOUND" : "OUTBOUND";

const onClosed = z.enum(["reopen", "new"]).meta({
  id: "OnClosed",
  description:
    "What happens if the conversation is closed. `reopen` posts the message and sets the status to `OPEN`. `new` posts it as the first message of a new conversation with the same channel, customer and agent, which `conversationId` of the response names. Without it, the response is 409 `conversation-closed`.",
});

export const createMessageBody = requireContent(
  z.strictObject({
    ...messageContent,
    author: author.optional(),
    direction: direction.optional().meta({
      description:
        "`INTERNAL` makes it a note. Otherwise the direction follows from the author and may be left out.",
    }),
    externalId: z.string().min(1).max(255).nullish().meta({ description: described.externalId }),
    metadata: metadata.optional(),
    onClosed: onClosed.optional(),
  }),
).superRefine(({ author, direction }, context) => {
  if (direction === "INTERNAL") {
    if (author?.type === "CUSTOMER")
      context.addIssue({
        code: "custom",
        path: ["author", "type"],
        message: "must not be CUSTOMER for an INTERNAL message",
      });
  } else if (direction && direction !== directionOf(author?.type ?? "CUSTOMER")) {
    context.addIssue({
      code: "custom",
      path: ["direction"],
      message: `must be ${directionOf(author?.type ?? "CUSTOMER")} for this author`,
    });
  }
});

export const message = z
  .object({
    id: idOf("message"),
    environment,
    conversationId: idOf("conversation"),
    sequence: integer(
      "1, 2, 3… within its conversation. `createdAt` never decreases along it; ids need not follow it.",
      { minimum: 1 },
    ),
    direction,
    author: z
      .object({
        type: authorType,
        id: storedText(255, described.authorId).nullable(),
        name: storedText(200, described.authorName).nullable(),
      })
      .meta({
        description:
          "The author when the message was posted. Later changes to the customer do not change it.",
      }),
    text: storedText(
      maximumMessageLength,
      `${described.text} Empty if there are only attachments.`,
    ),
    attachments: z
      .array(attachment)
      .meta({ description: "The files of the message.", maxItems: maximumAttachments }),
    externalId: storedText(255, described.externalId).nullable(),
    metadata,
    createdAt: timestamp.meta({
      description: "When it was posted. Never earlier than the message before it.",
    }),
    redactedAt: timestamp.nullable().meta({
      description: "When its content was removed. `text` is then empty.",
    }),
  })
  .meta({ id: "Message", description: "A message of a conversation." });

/** The object of `message.redacted`. */
export const redactedMessage = z
  .object({
    id: idOf("message"),
    environment,
    conversationId: idOf("conversation"),
    redactedAt: timestamp.meta({ description: "When its content was removed." }),
  })
  .meta({ description: "The ids of the message and its conversation." });

export const messagePage = pageOf(message);
export const messageParams = z.object({
  conversationId: idParameter("conversation"),
  messageId: idParameter("message"),
});
export const listMessagesQuery = listQuery("message", "asc", {});

export type CreateMessage = z.output<typeof createMessageBody>;
export type Message = z.input<typeof message>;
export type ListMessages = z.output<typeof listMessagesQuery>;
