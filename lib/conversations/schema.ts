import { z } from "zod";
import { createCustomerBody } from "@/lib/customers/schema";
import { metadata, metadataFilter, metadataPatch } from "@/lib/platform/metadata";
import {
  commaList,
  createdAt,
  distinct,
  environment,
  instant,
  integer,
  storedText,
  timestamp,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter, reference } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { author, messageContent, messageText, requireContent } from "./message-schema";

export const conversationStatuses = ["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

/** The statuses that may follow each status. The same status is always allowed and changes nothing. */
export const transitions: Record<ConversationStatus, readonly ConversationStatus[]> = {
  OPEN: ["PENDING", "SNOOZED", "RESOLVED", "CLOSED"],
  PENDING: ["OPEN", "SNOOZED", "RESOLVED", "CLOSED"],
  SNOOZED: ["OPEN", "PENDING", "RESOLVED", "CLOSED"],
  RESOLVED: ["OPEN", "CLOSED"],
  CLOSED: [],
};

const status = z.enum(conversationStatuses).meta({
  id: "ConversationStatus",
  description:
    "`OPEN` and `PENDING` can become any status. `SNOOZED` reopens at `snoozedUntil` or on a customer's message. `RESOLVED` reopens on a customer's message. `CLOSED` is final, and only a message with `onClosed: \"reopen\"` opens it again.",
});
export const priority = z
  .enum(["LOW", "NORMAL", "HIGH", "URGENT"])
  .meta({ id: "Priority", description: "How urgent the conversation is." });
const described = {
  channelId: "Your own name for the channel; any value.",
  externalId: "Your own id for the conversation.",
  subject: "What the conversation is about.",
  tags: "Your own labels, each at most once.",
};
export const channelId = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: described.channelId, examples: ["web"] });
const externalId = z.string().min(1).max(255).meta({ description: described.externalId });
const subject = z.string().max(200).meta({ description: described.subject });
export const tag = z.string().min(1).max(50);
export const maximumTags = 20;
const tagList = distinct(z.array(tag).max(maximumTags));
const tags = tagList.meta({ description: described.tags });

const firstMessage = requireContent(
  z.strictObject({
    ...messageContent,
    author: author.optional(),
    externalId: externalId.nullish().meta({ description: "Your own id for the message." }),
    metadata: metadata.optional(),
  }),
).meta({ title: "Message" });

export const createConversationBody = z
  .strictObject({
    channelId,
    message: z
      .union([
        messageText.meta({ title: "Text" }).transform((text): FirstMessage => ({ text })),
        firstMessage,
      ])
      .optional()
      .meta({ description: "The first message: its text, or an object.", examples: ["Hello!"] }),
    customerId: reference("customer").nullish(),
    customer: createCustomerBody.optional().meta({
      description:
        "A customer to create with the conversation. If a customer with this `externalId` exists, it is used unchanged and the other fields are ignored.",
    }),
    agentId: reference("agent").nullish(),
    subject: subject.nullish(),
    priority: priority.default("NORMAL"),
    tags: tags.default([]),
    metadata: metadata.default({}),
    externalId: externalId.nullish(),
  })
  .refine((body) => !(body.customerId && body.customer), {
    path: ["customer"],
    message: "must not be combined with customerId",
  });

const longestSnoozeMs = 366 * 24 * 3_600_000;

const snoozedUntil = instant
  .refine((date) => date.getTime() > Date.now(), "must be in the future")
  .refine(
    (date) => date.getTime() <= Date.now() + longestSnoozeMs,
    "must be at most one year ahead",
  );

export const updateConversationBody = z
  .strictObject({
    status: status.optional(),
    snoozedUntil: snoozedUntil.nullish().meta({
      description: "When a `SNOOZED` conversation reopens: in the future, at most one year ahead.",
    }),
    customerId: reference("customer").nullish(),
    agentId: reference("agent").nullish(),
    assigneeId: reference("user")
      .nullish()
      .meta({ description: "The id of a member, from `GET /members`." }),
    subject: subject.nullish(),
    priority: priority.optional(),
    tags: tags
      .optional()
      .meta({ description: "Replaces all labels. Not together with `addTags` or `removeTags`." }),
    addTags: tagList.optional().meta({
      description:
        "Labels to add. Those that the conversation has already stay where they are. Labels that other requests add or remove at the same time are kept.",
    }),
    removeTags: tagList.optional().meta({
      description: "Labels to remove. Those that the conversation does not have are ignored.",
    }),
    metadata: metadataPatch.optional(),
    externalId: externalId.nullish(),
  })
  .superRefine(({ tags, addTags, removeTags }, context) => {
    for (const [name, changes] of Object.entries({ addTags, removeTags })) {
      if (tags && changes)
        context.addIssue({
          code: "custom",
          path: [name],
          message: "must not be combined with tags",
        });
    }
    for (const [index, removed] of removeTags?.entries() ?? []) {
      if (addTags?.includes(removed))
        context.addIssue({
          code: "custom",
          path: ["removeTags", index],
          message: "must not be in addTags, too",
        });
    }
  });

export const conversation = z
  .object({
    id: idOf("conversation"),
    environment,
    status,
    channelId: storedText(255, described.channelId),
    customerId: idOf("customer").nullable(),
    agentId: idOf("agent").nullable(),
    assigneeId: idOf("user")
      .nullable()
      .meta({ description: "The id of the member who is assigned to the conversation." }),
    subject: storedText(200, described.subject).nullable(),
    priority,
    tags: z.array(storedText(50, "A label.")).meta({ description: described.tags, maxItems: 20 }),
    metadata,
    externalId: storedText(255, described.externalId).nullable(),
    messageCount: integer("How many messages the conversation has, notes included."),
    lastMessageAt: timestamp
      .nullable()
      .meta({ description: "When the newest message was posted." }),
    lastMessagePreview: storedText(200, "The start of the newest message.").nullable(),
    snoozedUntil: timestamp
      .nullable()
      .meta({ description: "When a `SNOOZED` conversation reopens." }),
    resolvedAt: timestamp
      .nullable()
      .meta({ description: "When it became `RESOLVED`; null before, and after it was reopened." }),
    closedAt: timestamp
      .nullable()
      .meta({ description: "When it became `CLOSED`; null unless it is." }),
    createdAt,
    updatedAt,
  })
  .meta({
    id: "Conversation",
    description: "A conversation with a customer on one of your channels.",
  });

/** The object of `conversation.deleted`. */
export const deletedConversation = z
  .object({
    id: idOf("conversation"),
    environment,
    customerId: idOf("customer").nullable(),
  })
  .meta({ description: "The ids of the conversation and its customer." });

export const conversationPage = pageOf(conversation);
export const conversationParams = z.object({ conversationId: idParameter("conversation") });
export const listConversationsQuery = listQuery("conversation", "desc", {
  status: commaList(conversationStatuses)
    .optional()
    .meta({
      description: "One status or several, separated by commas.",
      examples: [["OPEN", "PENDING"]],
    }),
  channelId: channelId.optional(),
  customerId: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: "Only conversations of this customer." }),
  agentId: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: "Only conversations of this agent." }),
  assigneeId: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: "Only conversations that are assigned to this member." }),
  externalId: externalId.optional(),
  tag: tag.optional().meta({ description: "Only conversations with this tag." }),
  metadata: metadataFilter.optional(),
  updatedSince: instant.optional().meta({
    description:
      "Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message.",
  }),
});

const inboxCursor = z
  .string()
  .regex(/^\d{1,15}-cnv_[0-9A-HJKMNP-TV-Z]{26}(?:-(?:LOW|NORMAL|HIGH|URGENT))?$/)
  .transform((text) => {
    const [at, id = "", from] = text.split("-");
    return {
      updatedAt: new Date(Number(at)),
      id,
      priority: priority.safeParse(from).data ?? "NORMAL",
    };
  });

/** Filters for conversations without an assignee. */
export const nobody = "nobody";

/**
 * The dashboard's list. It is sorted by the last change, because a reply in an old conversation is
 * news. Without a status it shows open conversations.
 */
export const listInboxQuery = listConversationsQuery
  .omit({ limit: true, order: true, metadata: true })
  .extend({
    status: z
      .union(
        [
          z.literal("all").transform(() => [...conversationStatuses]),
          commaList(conversationStatuses),
        ],
        {
          message: `must be all, or one or several of ${conversationStatuses.join(", ")}, separated by commas`,
        },
      )
      .default(["OPEN"]),
    assigneeId: z.union([z.literal(nobody).transform(() => null), reference("user")]).optional(),
    priority: priority.optional(),
    sort: z.enum(["newest", "oldest", "priority"]).default("newest"),
    /** Only conversations with a message of the customer that the viewer has not seen. */
    unread: z
      .literal("true")
      .transform(() => true as const)
      .optional(),
    cursor: z
      .string()
      .refine((value) => inboxCursor.safeParse(value).success, {
        params: { kind: "invalid-cursor" },
        message: "must be a cursor of this list",
      })
      .pipe(inboxCursor)
      .optional(),
  });

type FirstMessage = z.output<typeof firstMessage>;
export type CreateConversation = z.output<typeof createConversationBody>;
export type UpdateConversation = z.output<typeof updateConversationBody>;
export type Conversation = z.input<typeof conversation>;
export type ListConversations = z.output<typeof listConversationsQuery>;
export type ListInbox = z.output<typeof listInboxQuery>;
