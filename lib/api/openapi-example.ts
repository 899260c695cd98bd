import {
  type JsonSchema,
  type JsonValue,
  nameOfReference,
  resolveSchema,
} from "@/lib/platform/openapi";
import { describedEvents } from "./event-reference";

const at = "2026-01-31T09:30:00.000Z";
const idAfter = (prefix: string) => `${prefix}_01KA5V0V7W3Y5Z8J4QX2N6M9TC`;

const storedFile = {
  name: "label.pdf",
  contentType: "application/pdf",
  sizeBytes: 48_213,
  url: `https://parlance.example.com/files/${idAfter("ten")}/test/${idAfter("fil")}?expires=1769852100&signature=5Yk0g3q1Yw4Jp7m2bqZ8d9s6nR1tXcVhUoLeKfAaBbE`,
  urlExpiresAt: "2026-01-31T09:35:00.000Z",
};

/**
 * One story for all examples: Ada asks about an order. Fields and schemas that are not listed here get
 * an example from their schema.
 */
const story: Record<string, Record<string, JsonValue>> = {
  Account: {
    name: "Acme",
    plan: "PRO",
    key: { id: idAfter("key"), name: "Shop", scopes: ["read:usage"], expiresAt: null },
    rateLimit: { limit: 600, windowSeconds: 60 },
  },
  Conversation: {
    environment: "test",
    channelId: "web",
    agentId: null,
    assigneeId: null,
    subject: "Where is my order?",
    priority: "NORMAL",
    tags: ["orders"],
    externalId: "ticket-1042",
    messageCount: 1,
    lastMessagePreview: "Hello! Where is my order?",
    snoozedUntil: null,
    resolvedAt: null,
    closedAt: null,
  },
  SearchHighlight: {
    field: "message",
    messageId: idAfter("msg"),
    text: "Hello! Where is my order?",
    ranges: [[19, 24]],
  },
  CreateConversationBody: {
    channelId: "web",
    message: "Hello! Where is my order?",
    customer: { externalId: "user_8412", name: "Ada Lovelace" },
    subject: "Where is my order?",
    tags: ["orders"],
  },
  UpdateConversationBody: { status: "RESOLVED", addTags: ["shipped"] },
  Message: {
    environment: "test",
    sequence: 1,
    direction: "INBOUND",
    author: { type: "CUSTOMER", id: idAfter("cus"), name: "Ada Lovelace" },
    text: "Hello! Where is my order?",
    metadata: {},
  },
  PostMessageBody: {
    text: "It left the warehouse this morning.",
    author: { type: "AGENT", name: "Concierge" },
  },
  Attachment: storedFile,
  File: {
    ...storedFile,
    environment: "test",
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  CreateFileBody: { name: "order.txt", text: "1 lamp, blue" },
  Customer: {
    environment: "test",
    externalId: "user_8412",
    name: "Ada Lovelace",
    email: "ada@example.com",
    phone: "+4930123456",
    locale: "en-GB",
    conversationCount: 1,
  },
  CreateCustomerBody: {
    externalId: "user_8412",
    name: "Ada Lovelace",
    email: "ada@example.com",
    metadata: { plan: "gold" },
  },
  UpsertCustomerBody: { name: "Ada Lovelace", email: "ada@example.com" },
  UpdateCustomerBody: { phone: "+4930123456", metadata: { plan: null } },
  Agent: {
    environment: "test",
    status: "DRAFT",
    name: "Concierge",
    description: "Answers questions about orders",
    model: "small-1",
    instructions: "Be brief and friendly.",
    greeting: "Hello! How can I help?",
    temperature: 0.3,
    knowledgeBaseIds: [idAfter("kb")],
    hasUnpublishedChanges: true,
    publishedAt: null,
  },
  CreateAgentBody: {
    name: "Concierge",
    model: "small-1",
    instructions: "Be brief and friendly.",
    knowledgeBaseIds: [idAfter("kb")],
  },
  UpdateAgentBody: { instructions: "Be brief, friendly and exact." },
  Member: { name: "Grace Hopper", role: "MEMBER" },
  KnowledgeBase: {
    environment: "test",
    name: "Handbook",
    description: "What every agent should know",
    sizeBytes: 48_213,
  },
  CreateKnowledgeBaseBody: { name: "Handbook", description: "What every agent should know" },
  KnowledgeHit: {
    name: "returns.md",
    position: 0,
    text: "Returns are free for 30 days.",
    ranges: [[0, 7]],
    before: [],
    after: ["Send the lamp back in its box."],
    score: 0.1,
  },
  SearchKnowledgeBody: {
    q: "returns",
    knowledgeBaseIds: [idAfter("kb")],
    match: "any",
    neighbors: 1,
  },
  Document: {
    name: "returns.md",
    contentType: "text/markdown",
    sizeBytes: 2_048,
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    status: "READY",
    error: null,
    characterCount: 2_011,
    chunkCount: 3,
  },
  DocumentFile: {
    name: "returns.md",
    contentType: "text/markdown",
    sizeBytes: 2_048,
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    url: `https://parlance.example.com/files/${idAfter("ten")}/test/${idAfter("doc")}?expires=1769852100&signature=5Yk0g3q1Yw4Jp7m2bqZ8d9s6nR1tXcVhUoLeKfAaBbE`,
  },
  Webhook: {
    environment: "test",
    url: "https://example.com/parlance",
    description: "The shop's own server",
    events: ["conversation.created", "message.*"],
    disabledReason: null,
    disabledAt: null,
    secretHint: "whsec_…LaSw",
    previousSecretExpiresAt: null,
    lastFailureAt: null,
  },
  CreateWebhookBody: {
    url: "https://example.com/parlance",
    events: ["conversation.created", "message.*"],
    description: "The shop's own server",
  },
  UpdateKnowledgeBaseBody: { name: "Help center" },
  UpdateDocumentBody: { name: "returns-2026.md", metadata: { reviewed: true } },
  ReplaceDocumentBody: { name: "Returns", text: "Returns are free within 60 days." },
  UpdateWebhookBody: { status: "ENABLED" },
  RecoverWebhookDeliveriesBody: { since: at, dryRun: true },
  CreateDocumentBody: { name: "Returns", text: "Returns are free within 30 days." },
  SearchResult: {
    name: "returns.md",
    text: "Returns are free within 30 days.",
    ranges: [[12, 16]],
    score: 0.61,
    excerpt: "Returns are <mark>free</mark> within 30 days.",
  },
  DeliveryWithAttempts: {
    eventType: "message.received",
    status: "DELIVERED",
    attemptCount: 1,
    nextAttemptAt: null,
  },
  Delivery: { eventType: "message.received" },
  DeliveryAttempt: { durationMs: 84, errorCode: null },
  Event: describedEvents["message.received"].example as unknown as Record<string, JsonValue>,
  EventType: {
    type: "message.received",
    description: describedEvents["message.received"].description,
    schema: { type: "object", title: "message.received" },
  },
};
story.WebhookWithSecret = { ...story.Webhook };

/**
 * A readable value for a schema: from the story above, from its own examples, or made from its parts.
 * @param isRequest omits the optional fields
 */
export function exampleOf(
  schemas: Record<string, JsonSchema>,
  schema: JsonSchema,
  isRequest = false,
): JsonValue {
  const known = resolveSchema(schemas, schema);
  const given = story[nameOfReference(schema) ?? ""];
  if (isRequest && given) return given;
  const inside = (part: JsonSchema) => exampleOf(schemas, part, isRequest);
  const [example] = known.examples ?? [];
  if (example !== undefined) return example;
  if (known.const !== undefined) return known.const;
  if (known.default !== undefined) return known.default;
  const [option] = known.enum ?? [];
  if (option !== undefined) return option;
  const [branch] = known.anyOf ?? known.oneOf ?? [];
  if (branch) return inside(branch);

  const types = [known.type ?? "object"].flat();
  // A nullable field without an example is null, as in a new resource.
  if (types.includes("null")) return null;
  if (types.includes("object")) {
    const entries = Object.entries(known.properties ?? {});
    const shown = isRequest ? entries.filter(([name]) => known.required?.includes(name)) : entries;
    const made = Object.fromEntries(
      shown.map(([name, part]) => [
        name,
        given && name in given ? (given[name] as JsonValue) : inside(part),
      ]),
    );
    return "nextCursor" in made ? { ...made, nextCursor: idOfFirst(made.data) } : made;
  }
  if (types.includes("array")) return known.items ? [inside(known.items)] : [];
  if (types.includes("integer") || types.includes("number")) return known.minimum ?? 0;
  if (types.includes("boolean")) return false;
  return textOf(known);
}

/** The cursor is the id of the last item, which here is the only one. */
function idOfFirst(items: JsonValue | undefined): JsonValue {
  const [item] = Array.isArray(items) ? items : [];
  return item !== null && typeof item === "object" && "id" in item ? (item.id as JsonValue) : "";
}

function textOf({ format, minLength = 0 }: JsonSchema): string {
  if (format === "date-time") return at;
  if (format === "date") return at.slice(0, 10);
  if (format === "uri") return "https://example.com/";
  return "text".padEnd(minLength, "x");
}
