// Made from the OpenAPI document by `npm run sdk:types`. Changes belong into the API's route declarations.
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
  metadata: Record<string, string | number | boolean | null>;
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
  metadata: Record<string, string | number | boolean | null>;
  createdAt: string;
};

export type Customer = {
  id: string;
  environment: "live" | "test";
  externalId: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  locale: string | null;
  metadata: Record<string, string | number | boolean | null>;
  conversationCount: number;
  createdAt: string;
  updatedAt: string;
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
  metadata: Record<string, string | number | boolean | null>;
  /** Whether the draft, which is what this shows, differs from the published version. */
  hasUnpublishedChanges: boolean;
  publishedVersion: number | null;
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
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
  metadata: Record<string, string | number | boolean | null>;
  createdAt: string;
  updatedAt: string;
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
  metadata: Record<string, string | number | boolean | null>;
  createdAt: string;
  updatedAt: string;
  /** Shown this once. */
  secret: string;
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

export type ListConversationsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: string | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  /** One status or several, separated by commas. */
  status?: string | undefined;
  channelId?: string | undefined;
  customerId?: string | undefined;
  agentId?: string | undefined;
  externalId?: string | undefined;
  tag?: string | undefined;
  updatedSince?: string | Date | undefined;
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
    metadata?: Record<string, string | number | boolean | null> | undefined;
  } | undefined;
  customerId?: string | null | undefined;
  /** Found by its `externalId`, or created. */
  customer?: {
    externalId?: string | null | undefined;
    name?: string | null | undefined;
    email?: string | null | undefined;
    phone?: string | null | undefined;
    locale?: string | null | undefined;
    metadata?: Record<string, string | number | boolean | null> | undefined;
  } | undefined;
  agentId?: string | null | undefined;
  subject?: string | null | undefined;
  priority?: "LOW" | "NORMAL" | "HIGH" | "URGENT" | undefined;
  tags?: readonly string[] | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
  externalId?: string | null | undefined;
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
  metadata?: Record<string, string | number | boolean | null> | undefined;
  externalId?: string | null | undefined;
};

export type ListMessagesQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: string | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
};

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
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

export type ListCustomersQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: string | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  externalId?: string | undefined;
};

export type CreateCustomerBody = {
  externalId?: string | null | undefined;
  name?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

export type UpdateCustomerBody = {
  externalId?: string | null | undefined;
  name?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

export type ListAgentsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: string | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
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
  metadata?: Record<string, string | number | boolean | null> | undefined;
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
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

export type ListWebhooksQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: string | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: "asc" | "desc" | undefined;
};

export type CreateWebhookBody = {
  url: string;
  description?: string | null | undefined;
  events: readonly string[];
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

export type UpdateWebhookBody = {
  url?: string | undefined;
  description?: string | null | undefined;
  events?: readonly string[] | undefined;
  /** `ENABLED` sets the count of failures to 0. */
  status?: "ENABLED" | "DISABLED" | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

export type ListEventsQuery = {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Items a page: 1 to 100. A larger figure is taken as 100. */
  limit?: string | undefined;
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
    answer: {
      data: Conversation[];
      /** Present only when more pages exist. */
      nextCursor?: string;
    };
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
    answer: {
      data: Message[];
      /** Present only when more pages exist. */
      nextCursor?: string;
    };
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
    answer: {
      data: Customer[];
      /** Present only when more pages exist. */
      nextCursor?: string;
    };
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
    answer: {
      data: Agent[];
      /** Present only when more pages exist. */
      nextCursor?: string;
    };
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
    answer: {
      data: Webhook[];
      /** Present only when more pages exist. */
      nextCursor?: string;
    };
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
    answer: {
      id: string;
      deleted: true;
    };
  };
  listEvents: {
    route: "GET /events";
    query: ListEventsQuery;
    body: undefined;
    answer: {
      data: Event[];
      /** Present only when more pages exist. */
      nextCursor?: string;
    };
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
  | Event;
