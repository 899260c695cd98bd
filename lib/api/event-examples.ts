import type { Agent } from "@/lib/agents/schema";
import type { Message } from "@/lib/conversations/message-schema";
import type { Conversation } from "@/lib/conversations/schema";
import type { Customer } from "@/lib/customers/schema";
import type { EventType } from "@/lib/events/event-types";
import type { Event } from "@/lib/events/schema";
import type { KnowledgeBase } from "@/lib/knowledge/bases/schema";
import type { Document } from "@/lib/knowledge/documents/schema";
import type { Webhook } from "@/lib/webhooks/schema";

// One story for all examples: Ada asks a shop about her order.

const at = "2026-01-31T09:30:00.000Z";
const later = "2026-01-31T09:42:00.000Z";
const made = { environment: "test", createdAt: at, updatedAt: at } as const;
const changed = { ...made, updatedAt: later } as const;

const conversation: Conversation = {
  ...made,
  id: "cnv_01KG9P5Y40M7XQ3V8ZB1T6D2HC",
  status: "OPEN",
  channelId: "web",
  customerId: "cus_01KG9P5Y40A5N0K7R3W9E8S4JG",
  agentId: "agt_01KFE5GGW0Q6C2X8M4Z7V1B9TD",
  assigneeId: null,
  subject: "Where is my order?",
  priority: "NORMAL",
  tags: ["orders"],
  metadata: { orderNumber: 1042 },
  externalId: "ticket-1042",
  messageCount: 1,
  lastMessageAt: at,
  lastMessagePreview: "Hello! Where is my order?",
  snoozedUntil: null,
  resolvedAt: null,
  closedAt: null,
};

const message: Message = {
  id: "msg_01KG9P5Y40H2D7F5T9Q1C6M8VX",
  environment: "test",
  conversationId: conversation.id,
  sequence: 1,
  direction: "INBOUND",
  author: { type: "CUSTOMER", id: conversation.customerId, name: "Ada Lovelace" },
  text: "Hello! Where is my order?",
  externalId: null,
  metadata: {},
  createdAt: at,
};

const customer: Customer = {
  ...made,
  id: "cus_01KG9P5Y40A5N0K7R3W9E8S4JG",
  externalId: "user_8412",
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+4930123456",
  locale: "en-GB",
  metadata: { plan: "gold" },
  conversationCount: 1,
};

const agent: Agent = {
  ...made,
  id: "agt_01KFE5GGW0Q6C2X8M4Z7V1B9TD",
  status: "DRAFT",
  name: "Concierge",
  description: "Answers questions about orders",
  model: "small-1",
  instructions: "Be brief and friendly.",
  greeting: "Hello! How can I help?",
  temperature: 0.3,
  knowledgeBaseIds: ["kb_01KFE4ZWF0R8T5G2J9N3P7K6WC"],
  metadata: {},
  hasUnpublishedChanges: true,
  publishedVersion: null,
  publishedAt: null,
};

const publishedAgent: Agent = {
  ...agent,
  ...changed,
  status: "PUBLISHED",
  hasUnpublishedChanges: false,
  publishedVersion: 1,
  publishedAt: later,
};

const knowledgeBase: KnowledgeBase = {
  ...made,
  id: "kb_01KFE4ZWF0R8T5G2J9N3P7K6WC",
  name: "Handbook",
  description: "What every agent should know",
  documentCounts: { pending: 0, processing: 0, ready: 0, failed: 0 },
  sizeBytes: 0,
  metadata: {},
};

const uploadedDocument: Document = {
  id: "doc_01KFE5A1N0V3M9C8S6X4B2Z7QT",
  knowledgeBaseId: knowledgeBase.id,
  name: "returns.md",
  contentType: "text/markdown",
  sizeBytes: 2_048,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "PENDING",
  error: null,
  characterCount: null,
  chunkCount: null,
  metadata: {},
  createdAt: at,
  updatedAt: at,
};

const readyDocument: Document = {
  ...uploadedDocument,
  status: "READY",
  characterCount: 2_011,
  chunkCount: 3,
  updatedAt: later,
};

const failedDocument: Document = {
  ...uploadedDocument,
  name: "returns.pdf",
  contentType: "application/pdf",
  status: "FAILED",
  error: { code: "encrypted", message: "The file is protected by a password." },
  updatedAt: later,
};

const webhook: Webhook = {
  ...made,
  id: "whk_01KFE6Q5D0N4K8T2V7R9W1G3JB",
  url: "https://example.com/parlance",
  description: "The shop's own server",
  events: ["conversation.created", "message.*"],
  status: "ENABLED",
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  lastSuccessAt: at,
  lastFailureAt: null,
  secretHint: "whsec_…aSw=",
  previousSecretExpiresAt: null,
  metadata: {},
};

const disabledWebhook: Webhook = {
  ...webhook,
  ...changed,
  status: "DISABLED",
  disabledReason: "CONSECUTIVE_FAILURES",
  disabledAt: later,
  consecutiveFailures: 100,
  lastFailureAt: later,
};

const byKey = {
  id: "req_01KG9P5Y3ZC8E4H6Q2N7T9V5WD",
  idempotencyKey: "0f3b6f0e-6f0a-4f4e-9b1c-2a7f6f1f9c11",
};

/** `request` is null where no request of the API raised the event: the dashboard or a job did. */
function example(
  type: EventType,
  timestamp: string,
  request: Event["request"],
  data: { object: object; previousAttributes?: object },
): Event {
  const { object, previousAttributes } = data;
  return {
    id: "evt_01KG9P5Y41S6B3M8X2F7Z9D4KC",
    type,
    apiVersion: "v1",
    environment: "test",
    timestamp,
    data: {
      object: { ...object },
      ...(previousAttributes && { previousAttributes: { ...previousAttributes } }),
    },
    request,
  };
}

const change = (object: object, previousAttributes: object) => ({ object, previousAttributes });

/** One event of each type, as a receiver would get it. */
export const examples: Record<EventType, Event> = {
  "conversation.created": example("conversation.created", at, byKey, { object: conversation }),
  "conversation.updated": example(
    "conversation.updated",
    later,
    byKey,
    change({ ...conversation, ...changed, priority: "HIGH" }, { priority: "NORMAL" }),
  ),
  "conversation.status_changed": example(
    "conversation.status_changed",
    later,
    byKey,
    change(
      { ...conversation, ...changed, status: "RESOLVED", resolvedAt: later },
      { status: "OPEN", resolvedAt: null },
    ),
  ),
  "message.received": example("message.received", at, byKey, { object: message }),
  "message.sent": example("message.sent", later, byKey, {
    object: {
      ...message,
      id: "msg_01KG9PVXK0W5T8C3G7R1J4Q9NE",
      sequence: 2,
      direction: "OUTBOUND",
      author: { type: "AGENT", id: conversation.agentId, name: "Concierge" },
      text: "It left the warehouse this morning.",
      createdAt: later,
    } satisfies Message,
  }),
  "customer.created": example("customer.created", at, byKey, { object: customer }),
  "customer.updated": example(
    "customer.updated",
    later,
    byKey,
    change(
      { ...customer, ...changed, email: "ada.lovelace@example.com" },
      { email: "ada@example.com" },
    ),
  ),
  "agent.created": example("agent.created", at, byKey, { object: agent }),
  "agent.updated": example(
    "agent.updated",
    later,
    byKey,
    change(
      { ...agent, ...changed, instructions: "Be brief, friendly and exact." },
      { instructions: agent.instructions },
    ),
  ),
  "agent.published": example(
    "agent.published",
    later,
    null,
    change(publishedAgent, {
      status: "DRAFT",
      hasUnpublishedChanges: true,
      publishedVersion: null,
      publishedAt: null,
    }),
  ),
  "knowledge_base.created": example("knowledge_base.created", at, byKey, { object: knowledgeBase }),
  "document.created": example("document.created", at, byKey, { object: uploadedDocument }),
  "document.ready": example("document.ready", later, null, { object: readyDocument }),
  "document.failed": example("document.failed", later, null, { object: failedDocument }),
  "document.deleted": example("document.deleted", later, byKey, { object: readyDocument }),
  "webhook.disabled": example("webhook.disabled", later, null, { object: disabledWebhook }),
  "webhook.test": example("webhook.test", later, byKey, { object: webhook }),
};
