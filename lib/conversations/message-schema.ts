import { z } from "zod";
import { metadata } from "@/lib/platform/metadata";
import { environment, integer, storedText, timestamp } from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
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

export const messageText = z.string().min(1).max(10_000).meta({ description: described.text });

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

export const createMessageBody = z
  .strictObject({
    text: messageText,
    author: author.optional(),
    direction: direction.optional().meta({
      description:
        "`INTERNAL` makes it a note. Otherwise the direction follows from the author and may be left out.",
    }),
    externalId: z.string().min(1).max(255).nullish().meta({ description: described.externalId }),
    metadata: metadata.optional(),
    onClosed: onClosed.optional(),
  })
  .superRefine(({ author, direction }, context) => {
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
    text: storedText(10_000, described.text),
    externalId: storedText(255, described.externalId).nullable(),
    metadata,
    createdAt: timestamp.meta({
      description: "When it was posted. Never earlier than the message before it.",
    }),
  })
  .meta({ id: "Message", description: "A message of a conversation." });

export const messagePage = pageOf(message);
export const messageParams = z.object({
  conversationId: idParameter("conversation"),
  messageId: idParameter("message"),
});
export const listMessagesQuery = listQuery("message", "asc", {});

export type CreateMessage = z.output<typeof createMessageBody>;
export type Message = z.input<typeof message>;
export type ListMessages = z.output<typeof listMessagesQuery>;
