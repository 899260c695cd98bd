import { z } from "zod";
import { environment, idOf, idParameter, listQuery, metadata, pageOf, timestamp } from "@/lib/schema";

export const authorTypes = ["CUSTOMER", "USER", "AGENT", "API", "SYSTEM"] as const;
export const directions = ["INBOUND", "OUTBOUND", "INTERNAL"] as const;

export const messageText = z.string().min(1).max(10_000);

export const author = z
  .strictObject({
    type: z.enum(authorTypes),
    id: z.string().min(1).max(255).nullish(),
    name: z.string().min(1).max(200).nullish(),
  })
  .meta({ description: "`CUSTOMER` unless given. Without an `id`, a customer is the conversation's, with that id and name." });

/** What follows from the author, unless the message is a note. */
const directionOf = (type: (typeof authorTypes)[number]) => (type === "CUSTOMER" ? "INBOUND" : "OUTBOUND");

export const createMessageBody = z
  .strictObject({
    text: messageText,
    author: author.optional(),
    direction: z.enum(directions).optional().meta({ description: "`INTERNAL` makes it a note; otherwise it follows from the author." }),
    externalId: z.string().min(1).max(255).nullish(),
    metadata: metadata.optional(),
  })
  .superRefine(({ author, direction }, context) => {
    if (direction === "INTERNAL") {
      if (author?.type === "CUSTOMER")
        context.addIssue({ code: "custom", path: ["author", "type"], message: "a note is not written by a customer" });
    } else if (direction && direction !== directionOf(author?.type ?? "CUSTOMER")) {
      context.addIssue({ code: "custom", path: ["direction"], message: `is ${directionOf(author?.type ?? "CUSTOMER")} for this author` });
    }
  });

export const message = z
  .object({
    id: idOf("message"),
    environment,
    conversationId: idOf("conversation"),
    sequence: z
      .number()
      .int()
      .meta({ description: "1, 2, 3… within its conversation. `createdAt` never decreases along it; ids need not follow it." }),
    direction: z.enum(directions),
    author: z
      .object({ type: z.enum(authorTypes), id: z.string().nullable(), name: z.string().nullable() })
      .meta({ description: "As it was when the message was posted: later changes of the customer do not change it." }),
    text: z.string(),
    externalId: z.string().nullable(),
    metadata,
    createdAt: timestamp,
  })
  .meta({ id: "Message" });

export const messagePage = pageOf(message);
export const messageParams = z.object({ conversationId: idParameter("conversation"), messageId: idParameter("message") });
export const listMessagesQuery = listQuery("message", "asc", {});

export type CreateMessage = z.output<typeof createMessageBody>;
export type Message = z.input<typeof message>;
export type ListMessages = z.output<typeof listMessagesQuery>;
