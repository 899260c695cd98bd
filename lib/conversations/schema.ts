import { z } from "zod";
import { createCustomerBody } from "@/lib/customers/schema";
import { author, messageText } from "@/lib/messages/schema";
import {
  commaList,
  distinct,
  environment,
  idOf,
  idParameter,
  instant,
  listQuery,
  metadata,
  metadataPatch,
  pageOf,
  reference,
  timestamp,
} from "@/lib/schema";

export const conversationStatuses = ["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

/** Where a conversation may go from each status. Staying is always allowed, and changes nothing. */
export const transitions: Record<ConversationStatus, readonly ConversationStatus[]> = {
  OPEN: ["PENDING", "SNOOZED", "RESOLVED", "CLOSED"],
  PENDING: ["OPEN", "SNOOZED", "RESOLVED", "CLOSED"],
  SNOOZED: ["OPEN", "PENDING", "RESOLVED", "CLOSED"],
  RESOLVED: ["OPEN", "CLOSED"],
  CLOSED: [],
};

const priority = z.enum(["LOW", "NORMAL", "HIGH", "URGENT"]);
const channelId = z.string().min(1).max(255);
const externalId = z.string().min(1).max(255);
const subject = z.string().max(200);
const tag = z.string().min(1).max(50);
const tags = distinct(z.array(tag).max(20));

const firstMessage = z.strictObject({
  text: messageText,
  author: author.optional(),
  externalId: externalId.nullish(),
  metadata: metadata.optional(),
});

export const createConversationBody = z
  .strictObject({
    channelId: channelId.meta({ description: "The tenant's own name for a channel; any value.", examples: ["web"] }),
    message: z
      .union([messageText.transform((text): FirstMessage => ({ text })), firstMessage])
      .optional()
      .meta({ description: "The first message, as a text or an object.", examples: ["Hello!"] }),
    customerId: reference("customer").nullish(),
    customer: createCustomerBody.optional().meta({
      description:
        "Created, unless a customer with this `externalId` exists: then that one is used as it is, and the other fields are ignored.",
    }),
    agentId: reference("agent").nullish(),
    subject: subject.nullish(),
    priority: priority.default("NORMAL"),
    tags: tags.default([]),
    metadata: metadata.default({}),
    externalId: externalId.nullish(),
  })
  .refine((body) => !(body.customerId && body.customer), { path: ["customer"], message: "cannot stand beside customerId" });

const longestSnoozeMs = 366 * 24 * 3_600_000;

const snoozedUntil = instant
  .refine((date) => date.getTime() > Date.now(), "lies in the past")
  .refine((date) => date.getTime() <= Date.now() + longestSnoozeMs, "is at most one year ahead");

export const updateConversationBody = z.strictObject({
  status: z.enum(conversationStatuses).optional(),
  snoozedUntil: snoozedUntil.nullish(),
  customerId: reference("customer").nullish(),
  agentId: reference("agent").nullish(),
  assigneeId: reference("user").nullish(),
  subject: subject.nullish(),
  priority: priority.optional(),
  tags: tags.optional(),
  metadata: metadataPatch.optional(),
  externalId: externalId.nullish(),
});

export const conversation = z
  .object({
    id: idOf("conversation"),
    environment,
    status: z.enum(conversationStatuses),
    channelId: z.string(),
    customerId: idOf("customer").nullable(),
    agentId: idOf("agent").nullable(),
    assigneeId: idOf("user").nullable(),
    subject: z.string().nullable(),
    priority,
    tags: z.array(z.string()),
    metadata,
    externalId: z.string().nullable(),
    messageCount: z.number().int(),
    lastMessageAt: timestamp.nullable(),
    lastMessagePreview: z.string().nullable(),
    snoozedUntil: timestamp.nullable(),
    resolvedAt: timestamp.nullable(),
    closedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Conversation" });

export const conversationPage = pageOf(conversation);
export const conversationParams = z.object({ conversationId: idParameter("conversation") });
export const listConversationsQuery = listQuery("conversation", "desc", {
  status: commaList(conversationStatuses)
    .optional()
    .meta({ description: "One status or several, separated by commas.", examples: [["OPEN", "PENDING"]] }),
  channelId: channelId.optional(),
  customerId: z.string().min(1).max(255).optional(),
  agentId: z.string().min(1).max(255).optional(),
  externalId: externalId.optional(),
  tag: tag.optional(),
  updatedSince: instant
    .optional()
    .meta({ description: "Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message." }),
});

const inboxCursor = z
  .string()
  .regex(/^\d{1,15}-cnv_[0-9A-HJKMNP-TV-Z]{26}$/)
  .transform((text) => ({ updatedAt: new Date(Number(text.split("-")[0])), id: text.slice(text.indexOf("-") + 1) }));

/** In the place of an assignee: what is assigned to nobody. */
export const nobody = "nobody";

/** The dashboard's list: by the last change, because an answer to an old question is news. Without a status it is of what is open. */
export const listInboxQuery = listConversationsQuery.omit({ limit: true, order: true }).extend({
  status: z.union([z.literal("all").transform(() => [...conversationStatuses]), commaList(conversationStatuses)]).default(["OPEN"]),
  assigneeId: z.union([z.literal(nobody), reference("user")]).optional(),
  cursor: z
    .string()
    .refine((value) => inboxCursor.safeParse(value).success, { params: { kind: "invalid-cursor" }, message: "is no cursor of this list" })
    .pipe(inboxCursor)
    .optional(),
});

type FirstMessage = z.output<typeof firstMessage>;
export type CreateConversation = z.output<typeof createConversationBody>;
export type UpdateConversation = z.output<typeof updateConversationBody>;
export type Conversation = z.input<typeof conversation>;
export type ListConversations = z.output<typeof listConversationsQuery>;
export type ListInbox = z.output<typeof listInboxQuery>;
