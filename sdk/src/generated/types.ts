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

/** An agent was created, as a draft. */
export type AgentCreatedEvent = {
  id: string;
  type: "agent.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Agent;
    previousAttributes?: Record<string, unknown>;
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

/** A person published an agent's draft in the dashboard. */
export type AgentPublishedEvent = {
  id: string;
  type: "agent.published";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Agent;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** An agent's draft changed. */
export type AgentUpdatedEvent = {
  id: string;
  type: "agent.updated";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Agent;
    previousAttributes?: Record<string, unknown>;
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

/** A conversation was created. */
export type ConversationCreatedEvent = {
  id: string;
  type: "conversation.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Conversation;
    previousAttributes?: Record<string, unknown>;
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

/** A conversation's status changed, and perhaps other fields with it. */
export type ConversationStatusChangedEvent = {
  id: string;
  type: "conversation.status_changed";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Conversation;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** Fields of a conversation other than its status changed. */
export type ConversationUpdatedEvent = {
  id: string;
  type: "conversation.updated";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Conversation;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type CreateAgentBody = {
  name: string;
  description?: string | null | undefined;
  /** Which model answers; the tenant's own name for it. */
  model?: string | null | undefined;
  instructions?: string | null | undefined;
  greeting?: string | null | undefined;
  temperature?: number | null | undefined;
  /** What the agent may look things up in. They exist in the same environment. */
  knowledgeBaseIds?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
};

export type CreateConversationBody = {
  /** The tenant's own name for a channel; any value. */
  channelId: string;
  /** The first message, as a text or an object. */
  message?: string | {
    text: string;
    author?: {
      type: "CUSTOMER" | "USER" | "AGENT" | "API" | "SYSTEM";
      id?: string | null | undefined;
      name?: string | null | undefined;
    } | undefined;
    externalId?: string | null | undefined;
    metadata?: Metadata | undefined;
  } | undefined;
  customerId?: string | null | undefined;
  /** Found by its `externalId`, or created. */
  customer?: {
    externalId?: string | null | undefined;
    name?: string | null | undefined;
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
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
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

/** A customer was created. */
export type CustomerCreatedEvent = {
  id: string;
  type: "customer.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Customer;
    previousAttributes?: Record<string, unknown>;
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

/** Fields of a customer changed. */
export type CustomerUpdatedEvent = {
  id: string;
  type: "customer.updated";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Customer;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type DeleteWebhookAnswer = {
  id: string;
  deleted: true;
};

/** A document was uploaded, and waits to be processed. */
export type DocumentCreatedEvent = {
  id: string;
  type: "document.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Record<string, unknown>;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** A document was deleted. */
export type DocumentDeletedEvent = {
  id: string;
  type: "document.deleted";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Record<string, unknown>;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** A document could not be processed; its `error` says why. */
export type DocumentFailedEvent = {
  id: string;
  type: "document.failed";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Record<string, unknown>;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** A document was processed, and can be found. */
export type DocumentReadyEvent = {
  id: string;
  type: "document.ready";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Record<string, unknown>;
    previousAttributes?: Record<string, unknown>;
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

/** A knowledge base was created. */
export type KnowledgeBaseCreatedEvent = {
  id: string;
  type: "knowledge_base.created";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Record<string, unknown>;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

export type Message = {
  id: string;
  environment: "live" | "test";
  conversationId: string;
  /** 1, 2, 3… within its conversation. */
  sequence: number;
  direction: "INBOUND" | "OUTBOUND" | "INTERNAL";
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

/** A customer's message was added to a conversation. */
export type MessageReceivedEvent = {
  id: string;
  type: "message.received";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Message;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** A message by you, an agent or a program was added to a conversation. */
export type MessageSentEvent = {
  id: string;
  type: "message.sent";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Message;
    previousAttributes?: Record<string, unknown>;
  };
  request: {
    id: string;
    idempotencyKey: string | null;
  } | null;
};

/** Your own notes: a flat object of at most 50 keys. A PATCH merges it, and a null deletes its key. */
export type Metadata = Record<string, string | number | boolean | null>;

export type PostMessageBody = {
  text: string;
  /** `CUSTOMER` unless given. */
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
  /** Seconds to wait, as in `Retry-After`. */
  retryAfter?: number;
  /** With `invalid-transition`. */
  from?: string;
  /** With `invalid-transition`. */
  to?: string;
  /** With `invalid-transition`: where it could go instead. */
  allowed?: string[];
};

export type UpdateAgentBody = {
  name?: string | undefined;
  description?: string | null | undefined;
  /** Which model answers; the tenant's own name for it. */
  model?: string | null | undefined;
  instructions?: string | null | undefined;
  greeting?: string | null | undefined;
  temperature?: number | null | undefined;
  /** What the agent may look things up in. They exist in the same environment. */
  knowledgeBaseIds?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
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
  metadata?: Metadata | undefined;
  externalId?: string | null | undefined;
};

export type UpdateCustomerBody = {
  externalId?: string | null | undefined;
  name?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  metadata?: Metadata | undefined;
};

export type UpdateWebhookBody = {
  url?: string | undefined;
  description?: string | null | undefined;
  events?: readonly string[] | undefined;
  /** `ENABLED` sets the count of failures to 0. */
  status?: "ENABLED" | "DISABLED" | undefined;
  metadata?: Metadata | undefined;
};

export type Webhook = {
  id: string;
  environment: "live" | "test";
  url: string;
  description: string | null;
  events: string[];
  status: "ENABLED" | "DISABLED";
  disabledReason: "MANUAL" | "CONSECUTIVE_FAILURES" | "GONE" | null;
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

/** Another webhook of yours was disabled, by itself or by hand. */
export type WebhookDisabledEvent = {
  id: string;
  type: "webhook.disabled";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Webhook;
    previousAttributes?: Record<string, unknown>;
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

/** You asked for a test delivery. */
export type WebhookTestEvent = {
  id: string;
  type: "webhook.test";
  apiVersion: "v1";
  environment: "live" | "test";
  timestamp: string;
  data: {
    object: Webhook;
    previousAttributes?: Record<string, unknown>;
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
  disabledReason: "MANUAL" | "CONSECUTIVE_FAILURES" | "GONE" | null;
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

export type ListWebhooksQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
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
  listEvents: {
    route: "GET /events";
    query: ListEventsQuery;
    body: undefined;
    answer: EventPage;
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
