// Made from the OpenAPI document by `npm run sdk:types`. Changes belong into the API's route declarations.
export type Account = {
  id: string;
  name: string;
  plan: "FREE" | "PRO" | "SCALE";
  environment: "live" | "test";
  key: {
    id: string;
    name: string;
    scopes: ("read:conversations" | "write:conversations" | "read:customers" | "write:customers" | "read:agents" | "write:agents" | "read:knowledge" | "write:knowledge" | "read:webhooks" | "write:webhooks" | "read:usage")[];
    expiresAt: string | null;
  };
  rateLimit: {
    limit: number;
    windowSeconds: number;
  };
  createdAt: string;
};

export type Agent = {
  id: string;
  environment: "live" | "test";
  /** `DRAFT` until a person publishes the agent in the dashboard. Never changed through the API. */
  status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  name: string;
  description: string | null;
  model: string | null;
  instructions: string | null;
  greeting: string | null;
  temperature: number | null;
  knowledgeBaseIds: string[];
  metadata: Metadata;
  /** Whether the draft, which is what this shows, differs from the published version. */
  hasUnpublishedChanges: boolean;
  publishedVersion: number | null;
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type AgentCreatedEvent = {
  id: string;
  type: "agent.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Agent;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type AgentPage = {
  data: Agent[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type AgentPublishedEvent = {
  id: string;
  type: "agent.published";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Agent;
    /** The fields that changed, as they were. */
    previousAttributes?: {
      id?: string;
      environment?: "live" | "test";
      /** `DRAFT` until a person publishes the agent in the dashboard. Never changed through the API. */
      status?: "DRAFT" | "PUBLISHED" | "ARCHIVED";
      name?: string;
      description?: string | null;
      model?: string | null;
      instructions?: string | null;
      greeting?: string | null;
      temperature?: number | null;
      knowledgeBaseIds?: string[];
      metadata?: Metadata;
      /** Whether the draft, which is what this shows, differs from the published version. */
      hasUnpublishedChanges?: boolean;
      publishedVersion?: number | null;
      publishedAt?: string | null;
      createdAt?: string;
      updatedAt?: string;
    };
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type AgentUpdatedEvent = {
  id: string;
  type: "agent.updated";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Agent;
    /** The fields that changed, as they were. */
    previousAttributes?: {
      id?: string;
      environment?: "live" | "test";
      /** `DRAFT` until a person publishes the agent in the dashboard. Never changed through the API. */
      status?: "DRAFT" | "PUBLISHED" | "ARCHIVED";
      name?: string;
      description?: string | null;
      model?: string | null;
      instructions?: string | null;
      greeting?: string | null;
      temperature?: number | null;
      knowledgeBaseIds?: string[];
      metadata?: Metadata;
      /** Whether the draft, which is what this shows, differs from the published version. */
      hasUnpublishedChanges?: boolean;
      publishedVersion?: number | null;
      publishedAt?: string | null;
      createdAt?: string;
      updatedAt?: string;
    };
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type Conversation = {
  id: string;
  environment: "live" | "test";
  status: "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED";
  channelId: string;
  customerId: string | null;
  agentId: string | null;
  assigneeId: string | null;
  subject: string | null;
  priority: "LOW" | "NORMAL" | "HIGH" | "URGENT";
  tags: string[];
  metadata: Metadata;
  externalId: string | null;
  messageCount: number;
  lastMessageAt: string | null;
  lastMessagePreview: string | null;
  snoozedUntil: string | null;
  resolvedAt: string | null;
  closedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ConversationCreatedEvent = {
  id: string;
  type: "conversation.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Conversation;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type ConversationPage = {
  data: Conversation[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type ConversationStatusChangedEvent = {
  id: string;
  type: "conversation.status_changed";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Conversation;
    /** The fields that changed, as they were. */
    previousAttributes?: {
      id?: string;
      environment?: "live" | "test";
      status?: "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED";
      channelId?: string;
      customerId?: string | null;
      agentId?: string | null;
      assigneeId?: string | null;
      subject?: string | null;
      priority?: "LOW" | "NORMAL" | "HIGH" | "URGENT";
      tags?: string[];
      metadata?: Metadata;
      externalId?: string | null;
      messageCount?: number;
      lastMessageAt?: string | null;
      lastMessagePreview?: string | null;
      snoozedUntil?: string | null;
      resolvedAt?: string | null;
      closedAt?: string | null;
      createdAt?: string;
      updatedAt?: string;
    };
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type ConversationUpdatedEvent = {
  id: string;
  type: "conversation.updated";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Conversation;
    /** The fields that changed, as they were. */
    previousAttributes?: {
      id?: string;
      environment?: "live" | "test";
      status?: "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED";
      channelId?: string;
      customerId?: string | null;
      agentId?: string | null;
      assigneeId?: string | null;
      subject?: string | null;
      priority?: "LOW" | "NORMAL" | "HIGH" | "URGENT";
      tags?: string[];
      metadata?: Metadata;
      externalId?: string | null;
      messageCount?: number;
      lastMessageAt?: string | null;
      lastMessagePreview?: string | null;
      snoozedUntil?: string | null;
      resolvedAt?: string | null;
      closedAt?: string | null;
      createdAt?: string;
      updatedAt?: string;
    };
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type CreateAgentBody = {
  name: string;
  description?: string | null | undefined;
  /** The model that your program is to ask, by any name of yours. Parlance runs no model. */
  model?: string | null | undefined;
  /** What your program tells the model. */
  instructions?: string | null | undefined;
  /** What your program says first. */
  greeting?: string | null | undefined;
  temperature?: number | null | undefined;
  /** The knowledge bases your program searches for this agent, in the same environment. */
  knowledgeBaseIds?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
};

export type CreateConversationBody = {
  /** The tenant's own name for a channel; any value. */
  channelId: string;
  /** The first message, as a text or an object. */
  message?: string | {
    text: string;
    /** `CUSTOMER` unless given. Without an `id`, a customer is the conversation's, with that id and name. */
    author?: {
      type: "CUSTOMER" | "USER" | "AGENT" | "API" | "SYSTEM";
      id?: string | null | undefined;
      name?: string | null | undefined;
    } | undefined;
    externalId?: string | null | undefined;
    metadata?: Metadata | undefined;
  } | undefined;
  customerId?: string | null | undefined;
  /** Created, unless a customer with this `externalId` exists: then that one is used as it is, and the other fields are ignored. */
  customer?: {
    externalId?: string | null | undefined;
    name?: string | null | undefined;
    /** Stored in lower case. */
    email?: string | null | undefined;
    phone?: string | null | undefined;
    locale?: string | null | undefined;
    metadata?: Metadata | undefined;
  } | undefined;
  agentId?: string | null | undefined;
  subject?: string | null | undefined;
  priority?: "LOW" | "NORMAL" | "HIGH" | "URGENT" | undefined;
  tags?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
  externalId?: string | null | undefined;
};

export type CreateCustomerBody = {
  externalId?: string | null | undefined;
  name?: string | null | undefined;
  /** Stored in lower case. */
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  metadata?: Metadata | undefined;
};

export type CreateDocumentBody = {
  name: string;
  text: string;
  metadata?: Metadata | undefined;
};

export type CreateKnowledgeBaseBody = {
  /** Unique in the environment. */
  name: string;
  description?: string | null | undefined;
  metadata?: Metadata | undefined;
};

export type CreateWebhookBody = {
  url: string;
  description?: string | null | undefined;
  events: readonly string[];
  metadata?: Metadata | undefined;
};

export type Customer = {
  id: string;
  environment: "live" | "test";
  externalId: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  locale: string | null;
  metadata: Metadata;
  conversationCount: number;
  createdAt: string;
  updatedAt: string;
};

export type CustomerCreatedEvent = {
  id: string;
  type: "customer.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Customer;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type CustomerPage = {
  data: Customer[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type CustomerUpdatedEvent = {
  id: string;
  type: "customer.updated";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Customer;
    /** The fields that changed, as they were. */
    previousAttributes?: {
      id?: string;
      environment?: "live" | "test";
      externalId?: string | null;
      name?: string | null;
      email?: string | null;
      phone?: string | null;
      locale?: string | null;
      metadata?: Metadata;
      conversationCount?: number;
      createdAt?: string;
      updatedAt?: string;
    };
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type DeleteDocumentAnswer = {
  id: string;
  deleted: true;
};

export type DeleteWebhookAnswer = {
  id: string;
  deleted: true;
};

export type Delivery = {
  id: string;
  webhookId: string;
  eventId: string;
  eventType: "conversation.created" | "conversation.updated" | "conversation.status_changed" | "message.received" | "message.sent" | "customer.created" | "customer.updated" | "agent.created" | "agent.updated" | "agent.published" | "knowledge_base.created" | "document.created" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test";
  /** `PENDING` waits for its first attempt or the next one. `FAILED` has no attempt left. `HELD` waits for its webhook to be enabled and the delivery to be recovered, for 30 days. `DISCARDED` was held and given up. */
  status: "PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED";
  /** Attempts that have ended, whoever asked for them. */
  attemptCount: number;
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type DeliveryAttempt = {
  /** 1 for the delivery's first attempt. */
  number: number;
  /** `AUTOMATIC` by the schedule, `MANUAL` by a resend, `TEST` by a test. Only the first counts as a failure. */
  trigger: "AUTOMATIC" | "MANUAL" | "TEST";
  startedAt: string;
  durationMs: number;
  /** Null where no answer came. */
  statusCode: number | null;
  /** Why no answer came: `timeout`, `blocked_address`, `dns_error`, `tls_error`, `connection_refused`, `connection_reset`, `connection_error`, `invalid_response` or `invalid_url`. */
  errorCode: string | null;
  /** The first 16 KiB of the answer's body. */
  response: string | null;
};

export type DeliveryPage = {
  data: Delivery[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type DeliveryWithAttempts = {
  id: string;
  webhookId: string;
  eventId: string;
  eventType: "conversation.created" | "conversation.updated" | "conversation.status_changed" | "message.received" | "message.sent" | "customer.created" | "customer.updated" | "agent.created" | "agent.updated" | "agent.published" | "knowledge_base.created" | "document.created" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test";
  /** `PENDING` waits for its first attempt or the next one. `FAILED` has no attempt left. `HELD` waits for its webhook to be enabled and the delivery to be recovered, for 30 days. `DISCARDED` was held and given up. */
  status: "PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED";
  /** Attempts that have ended, whoever asked for them. */
  attemptCount: number;
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** The newest 100, the oldest of them first. */
  attempts: DeliveryAttempt[];
};

export type Document = {
  id: string;
  knowledgeBaseId: string;
  name: string;
  contentType: "text/plain" | "text/markdown" | "text/html" | "text/csv" | "application/json" | "application/pdf" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  sizeBytes: number;
  /** Of the file, in hexadecimal. */
  sha256: string;
  status: "PENDING" | "PROCESSING" | "READY" | "FAILED";
  error: {
    code: "empty" | "encrypted" | "invalid_file" | "too_large" | "timeout" | "internal";
    message: string;
  } | null;
  /** Of the text that was found in the file. */
  characterCount: number | null;
  chunkCount: number | null;
  metadata: Metadata;
  createdAt: string;
  updatedAt: string;
};

export type DocumentCreatedEvent = {
  id: string;
  type: "document.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Document;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type DocumentDeletedEvent = {
  id: string;
  type: "document.deleted";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Document;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type DocumentFailedEvent = {
  id: string;
  type: "document.failed";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Document;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type DocumentPage = {
  data: Document[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type DocumentReadyEvent = {
  id: string;
  type: "document.ready";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Document;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type Event = {
  id: string;
  type: "conversation.created" | "conversation.updated" | "conversation.status_changed" | "message.received" | "message.sent" | "customer.created" | "customer.updated" | "agent.created" | "agent.updated" | "agent.published" | "knowledge_base.created" | "document.created" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    /** What the API would answer for the object at that moment. */
    object: Record<string, unknown>;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type EventPage = {
  data: Event[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type EventType = {
  type: "conversation.created" | "conversation.updated" | "conversation.status_changed" | "message.received" | "message.sent" | "customer.created" | "customer.updated" | "agent.created" | "agent.updated" | "agent.published" | "knowledge_base.created" | "document.created" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test";
  description: string;
  /** The event as a JSON Schema, draft 2020-12. */
  schema: Record<string, unknown>;
  example: Event;
};

export type EventTypePage = {
  data: EventType[];
};

export type KnowledgeBase = {
  id: string;
  environment: "live" | "test";
  name: string;
  description: string | null;
  documentCounts: {
    pending: number;
    processing: number;
    ready: number;
    failed: number;
  };
  /** Of all files together. */
  sizeBytes: number;
  metadata: Metadata;
  createdAt: string;
  updatedAt: string;
};

export type KnowledgeBaseCreatedEvent = {
  id: string;
  type: "knowledge_base.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: KnowledgeBase;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type KnowledgeBasePage = {
  data: KnowledgeBase[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type Message = {
  id: string;
  environment: "live" | "test";
  conversationId: string;
  /** 1, 2, 3… within its conversation. `createdAt` never decreases along it; ids need not follow it. */
  sequence: number;
  direction: "INBOUND" | "OUTBOUND" | "INTERNAL";
  /** As it was when the message was posted: later changes of the customer do not change it. */
  author: {
    type: "CUSTOMER" | "USER" | "AGENT" | "API" | "SYSTEM";
    id: string | null;
    name: string | null;
  };
  text: string;
  externalId: string | null;
  metadata: Metadata;
  createdAt: string;
};

export type MessagePage = {
  data: Message[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type MessageReceivedEvent = {
  id: string;
  type: "message.received";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Message;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type MessageSentEvent = {
  id: string;
  type: "message.sent";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Message;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** Your own data: a flat object of at most 50 keys, stored as sent. The key `__proto__` is refused. */
export type Metadata = Record<string, string | number | boolean>;

/** Merged into the stored metadata, key by key. A null deletes its key. */
export type MetadataPatch = Record<string, string | number | boolean | null>;

export type PostMessageBody = {
  text: string;
  /** `CUSTOMER` unless given. Without an `id`, a customer is the conversation's, with that id and name. */
  author?: {
    type: "CUSTOMER" | "USER" | "AGENT" | "API" | "SYSTEM";
    id?: string | null | undefined;
    name?: string | null | undefined;
  } | undefined;
  /** `INTERNAL` makes it a note; otherwise it follows from the author. */
  direction?: "INBOUND" | "OUTBOUND" | "INTERNAL" | undefined;
  externalId?: string | null | undefined;
  metadata?: Metadata | undefined;
};

/** What went wrong, as RFC 9457 (formerly 7807) has it. */
export type Problem = {
  /** The kind of the problem: the address of a page that explains it. */
  type: string;
  /** Short, and always the same for this kind. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What went wrong this time, for people to read. */
  detail: string;
  /** The path of the request. */
  instance: string;
  requestId: string;
  /** All that is wrong with the request. With `validation` and `invalid-cursor`. */
  errors?: ({
    /** A JSON Pointer into `location`; empty for the whole of it. */
    pointer: string;
    location: "body" | "query" | "path" | "header";
    /** For programs. */
    code: string;
    /** For people. */
    message: string;
  })[];
  /** With `insufficient-scope`. */
  requiredScope?: string;
  /** With `conflict`. */
  existingId?: string;
  /** With `limit-reached`: how much there may be. */
  limit?: number;
  /** With `limit-reached`: how much there is. */
  current?: number;
  /** Seconds to wait, as in `Retry-After`. */
  retryAfter?: number;
  /** With `invalid-transition`. */
  from?: string;
  /** With `invalid-transition`. */
  to?: string;
  /** With `invalid-transition`: where it could go instead. */
  allowed?: string[];
};

export type RecoverWebhookDeliveriesBody = {
  /** Deliveries made at this time or later. */
  since: string | Date;
  /** And at this time or earlier; now, unless given. */
  until?: string | Date | undefined;
  /** Only counts. */
  dryRun?: boolean | undefined;
};

export type Recovery = {
  /** Deliveries that are sent again, or would be. */
  count: number;
};

export type RotateWebhookSecretBody = {
  /** How long the secret before this one signs too. 0 drops every older secret at once. */
  overlapSeconds?: number | undefined;
};

export type SearchResult = {
  documentId: string;
  name: string;
  /** HTML: escaped text, in which `<mark>` surrounds what was found. */
  excerpt: string;
  /** From 0 to 1, the best first. Only to be compared within one answer. */
  score: number;
};

export type SearchResultPage = {
  data: SearchResult[];
};

export type UpdateAgentBody = {
  name?: string | undefined;
  description?: string | null | undefined;
  /** The model that your program is to ask, by any name of yours. Parlance runs no model. */
  model?: string | null | undefined;
  /** What your program tells the model. */
  instructions?: string | null | undefined;
  /** What your program says first. */
  greeting?: string | null | undefined;
  temperature?: number | null | undefined;
  /** The knowledge bases your program searches for this agent, in the same environment. */
  knowledgeBaseIds?: readonly string[] | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpdateConversationBody = {
  status?: "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED" | undefined;
  snoozedUntil?: string | Date | null | undefined;
  customerId?: string | null | undefined;
  agentId?: string | null | undefined;
  assigneeId?: string | null | undefined;
  subject?: string | null | undefined;
  priority?: "LOW" | "NORMAL" | "HIGH" | "URGENT" | undefined;
  tags?: readonly string[] | undefined;
  metadata?: MetadataPatch | undefined;
  externalId?: string | null | undefined;
};

export type UpdateCustomerBody = {
  externalId?: string | null | undefined;
  name?: string | null | undefined;
  /** Stored in lower case. */
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpdateWebhookBody = {
  url?: string | undefined;
  description?: string | null | undefined;
  events?: readonly string[] | undefined;
  /** `ENABLED` sets the count of failures to 0. */
  status?: "ENABLED" | "DISABLED" | undefined;
  metadata?: MetadataPatch | undefined;
};

export type Usage = {
  environment: "live" | "test";
  /** Never in test. */
  billable: boolean;
  /** The first and the last day, in UTC. */
  period: {
    start: string;
    end: string;
  };
  totals: {
    /** Requests with a valid key, except those beyond its rate limit. Counted within a second or two. */
    apiRequests: number;
    conversationsCreated: number;
    /** Messages whose direction is `INBOUND`. */
    messagesReceived: number;
    /** Messages whose direction is `OUTBOUND`. */
    messagesSent: number;
    /** Documents that were there at the end and have not been deleted since. */
    documentsStored: number;
    /** Their size together. */
    storageBytes: number;
    /** Attempts to call a webhook, repeated ones included. */
    webhookDeliveries: number;
    /** Those of them that failed. */
    webhookFailures: number;
  };
  /** Each day of the period until today. */
  series: ({
    date: string;
    /** Requests with a valid key, except those beyond its rate limit. Counted within a second or two. */
    apiRequests: number;
    conversationsCreated: number;
    /** Messages whose direction is `INBOUND`. */
    messagesReceived: number;
    /** Messages whose direction is `OUTBOUND`. */
    messagesSent: number;
    /** Documents that were there at the end and have not been deleted since. */
    documentsStored: number;
    /** Their size together. */
    storageBytes: number;
    /** Attempts to call a webhook, repeated ones included. */
    webhookDeliveries: number;
    /** Those of them that failed. */
    webhookFailures: number;
  })[];
};

export type Webhook = {
  id: string;
  environment: "live" | "test";
  url: string;
  description: string | null;
  events: string[];
  status: "ENABLED" | "DISABLED";
  disabledReason: "MANUAL" | "CONSECUTIVE_FAILURES" | "GONE" | "UNCONFIRMED" | null;
  disabledAt: string | null;
  consecutiveFailures: number;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  secretHint: string;
  /** Until then the secret before this one signs too. */
  previousSecretExpiresAt: string | null;
  metadata: Metadata;
  createdAt: string;
  updatedAt: string;
};

export type WebhookDisabledEvent = {
  id: string;
  type: "webhook.disabled";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Webhook;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type WebhookPage = {
  data: Webhook[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

export type WebhookTestEvent = {
  id: string;
  type: "webhook.test";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Webhook;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type WebhookWithSecret = {
  id: string;
  environment: "live" | "test";
  url: string;
  description: string | null;
  events: string[];
  status: "ENABLED" | "DISABLED";
  disabledReason: "MANUAL" | "CONSECUTIVE_FAILURES" | "GONE" | "UNCONFIRMED" | null;
  disabledAt: string | null;
  consecutiveFailures: number;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  secretHint: string;
  /** Until then the secret before this one signs too. */
  previousSecretExpiresAt: string | null;
  metadata: Metadata;
  createdAt: string;
  updatedAt: string;
  /** Shown this once. */
  secret: string;
};

export type ListConversationsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED")[] | "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED" | undefined;
  channelId?: string | undefined;
  customerId?: string | undefined;
  agentId?: string | undefined;
  externalId?: string | undefined;
  tag?: string | undefined;
  /** Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message. */
  updatedSince?: string | Date | undefined;
};

export type ListMessagesQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
};

export type ListCustomersQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  /** Stored in lower case. */
  email?: string | undefined;
  phone?: string | undefined;
  externalId?: string | undefined;
};

export type ListAgentsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
};

export type ListKnowledgeBasesQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
};

export type ListDocumentsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("PENDING" | "PROCESSING" | "READY" | "FAILED")[] | "PENDING" | "PROCESSING" | "READY" | "FAILED" | undefined;
};

export type SearchKnowledgeBaseQuery = {
  /** Words that all occur; "several words" in this order, `or` between alternatives, `-` before what must not occur. */
  q: string;
  /** Documents at the most: 1 to 50. A larger figure is taken as 50. */
  limit?: number | undefined;
};

export type ListWebhooksQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
};

export type ListWebhookDeliveriesQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED")[] | "PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED" | undefined;
  eventType?: "conversation.created" | "conversation.updated" | "conversation.status_changed" | "message.received" | "message.sent" | "customer.created" | "customer.updated" | "agent.created" | "agent.updated" | "agent.published" | "knowledge_base.created" | "document.created" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test" | undefined;
};

export type ListEventsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  type?: "conversation.created" | "conversation.updated" | "conversation.status_changed" | "message.received" | "message.sent" | "customer.created" | "customer.updated" | "agent.created" | "agent.updated" | "agent.published" | "knowledge_base.created" | "document.created" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test" | undefined;
  /** Only events of this time or later. */
  since?: string | Date | undefined;
};

export type GetUsageQuery = {
  /** The first day (UTC); the first of the month of `to`, unless given. */
  from?: string | undefined;
  /** The last day (UTC); the last of this month, unless given. */
  to?: string | undefined;
};

/** Every operation of the API by its operationId. */
export type Operations = {
  listConversations: {
    route: "GET /conversations";
    query: ListConversationsQuery;
    body: undefined;
    answer: ConversationPage;
  };
  createConversation: {
    route: "POST /conversations";
    query: undefined;
    body: CreateConversationBody;
    answer: Conversation;
  };
  getConversation: {
    route: "GET /conversations/{conversationId}";
    query: undefined;
    body: undefined;
    answer: Conversation;
  };
  updateConversation: {
    route: "PATCH /conversations/{conversationId}";
    query: undefined;
    body: UpdateConversationBody;
    answer: Conversation;
  };
  listMessages: {
    route: "GET /conversations/{conversationId}/messages";
    query: ListMessagesQuery;
    body: undefined;
    answer: MessagePage;
  };
  postMessage: {
    route: "POST /conversations/{conversationId}/messages";
    query: undefined;
    body: PostMessageBody;
    answer: Message;
  };
  getMessage: {
    route: "GET /conversations/{conversationId}/messages/{messageId}";
    query: undefined;
    body: undefined;
    answer: Message;
  };
  listCustomers: {
    route: "GET /customers";
    query: ListCustomersQuery;
    body: undefined;
    answer: CustomerPage;
  };
  createCustomer: {
    route: "POST /customers";
    query: undefined;
    body: CreateCustomerBody;
    answer: Customer;
  };
  getCustomer: {
    route: "GET /customers/{customerId}";
    query: undefined;
    body: undefined;
    answer: Customer;
  };
  updateCustomer: {
    route: "PATCH /customers/{customerId}";
    query: undefined;
    body: UpdateCustomerBody;
    answer: Customer;
  };
  listAgents: {
    route: "GET /agents";
    query: ListAgentsQuery;
    body: undefined;
    answer: AgentPage;
  };
  createAgent: {
    route: "POST /agents";
    query: undefined;
    body: CreateAgentBody;
    answer: Agent;
  };
  getAgent: {
    route: "GET /agents/{agentId}";
    query: undefined;
    body: undefined;
    answer: Agent;
  };
  updateAgent: {
    route: "PATCH /agents/{agentId}";
    query: undefined;
    body: UpdateAgentBody;
    answer: Agent;
  };
  listKnowledgeBases: {
    route: "GET /knowledge-bases";
    query: ListKnowledgeBasesQuery;
    body: undefined;
    answer: KnowledgeBasePage;
  };
  createKnowledgeBase: {
    route: "POST /knowledge-bases";
    query: undefined;
    body: CreateKnowledgeBaseBody;
    answer: KnowledgeBase;
  };
  getKnowledgeBase: {
    route: "GET /knowledge-bases/{knowledgeBaseId}";
    query: undefined;
    body: undefined;
    answer: KnowledgeBase;
  };
  listDocuments: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/documents";
    query: ListDocumentsQuery;
    body: undefined;
    answer: DocumentPage;
  };
  createDocument: {
    route: "POST /knowledge-bases/{knowledgeBaseId}/documents";
    query: undefined;
    body: CreateDocumentBody;
    answer: Document;
  };
  getDocument: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}";
    query: undefined;
    body: undefined;
    answer: Document;
  };
  deleteDocument: {
    route: "DELETE /knowledge-bases/{knowledgeBaseId}/documents/{documentId}";
    query: undefined;
    body: undefined;
    answer: DeleteDocumentAnswer;
  };
  searchKnowledgeBase: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/search";
    query: SearchKnowledgeBaseQuery;
    body: undefined;
    answer: SearchResultPage;
  };
  listWebhooks: {
    route: "GET /webhooks";
    query: ListWebhooksQuery;
    body: undefined;
    answer: WebhookPage;
  };
  createWebhook: {
    route: "POST /webhooks";
    query: undefined;
    body: CreateWebhookBody;
    answer: WebhookWithSecret;
  };
  getWebhook: {
    route: "GET /webhooks/{webhookId}";
    query: undefined;
    body: undefined;
    answer: Webhook;
  };
  updateWebhook: {
    route: "PATCH /webhooks/{webhookId}";
    query: undefined;
    body: UpdateWebhookBody;
    answer: Webhook;
  };
  deleteWebhook: {
    route: "DELETE /webhooks/{webhookId}";
    query: undefined;
    body: undefined;
    answer: DeleteWebhookAnswer;
  };
  rotateWebhookSecret: {
    route: "POST /webhooks/{webhookId}/rotate-secret";
    query: undefined;
    body: RotateWebhookSecretBody;
    answer: WebhookWithSecret;
  };
  testWebhook: {
    route: "POST /webhooks/{webhookId}/test";
    query: undefined;
    body: undefined;
    answer: Delivery;
  };
  listWebhookDeliveries: {
    route: "GET /webhooks/{webhookId}/deliveries";
    query: ListWebhookDeliveriesQuery;
    body: undefined;
    answer: DeliveryPage;
  };
  getWebhookDelivery: {
    route: "GET /webhooks/{webhookId}/deliveries/{deliveryId}";
    query: undefined;
    body: undefined;
    answer: DeliveryWithAttempts;
  };
  resendWebhookDelivery: {
    route: "POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend";
    query: undefined;
    body: undefined;
    answer: Delivery;
  };
  recoverWebhookDeliveries: {
    route: "POST /webhooks/{webhookId}/recover";
    query: undefined;
    body: RecoverWebhookDeliveriesBody;
    answer: Recovery;
  };
  listEvents: {
    route: "GET /events";
    query: ListEventsQuery;
    body: undefined;
    answer: EventPage;
  };
  getEvent: {
    route: "GET /events/{eventId}";
    query: undefined;
    body: undefined;
    answer: Event;
  };
  listEventTypes: {
    route: "GET /event-types";
    query: undefined;
    body: undefined;
    answer: EventTypePage;
  };
  getUsage: {
    route: "GET /usage";
    query: GetUsageQuery;
    body: undefined;
    answer: Usage;
  };
  getAccount: {
    route: "GET /account";
    query: undefined;
    body: undefined;
    answer: Account;
  };
};

/** Everything that a webhook can be sent; `type` tells which. */
export type WebhookEvent =
  | ConversationCreatedEvent
  | ConversationUpdatedEvent
  | ConversationStatusChangedEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | CustomerCreatedEvent
  | CustomerUpdatedEvent
  | AgentCreatedEvent
  | AgentUpdatedEvent
  | AgentPublishedEvent
  | KnowledgeBaseCreatedEvent
  | DocumentCreatedEvent
  | DocumentReadyEvent
  | DocumentFailedEvent
  | DocumentDeletedEvent
  | WebhookDisabledEvent
  | WebhookTestEvent;
