// Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.
/** Your organization, as the API key sees it. */
export type Account = {
  /** The id of the account. */
  id: string;
  /** The organization's name. */
  name: string;
  plan: Plan;
  environment: Environment;
  /** The API key of this request. */
  key: {
    /** The id of the API key. */
    id: string;
    /** The API key's name. */
    name: string;
    /** What the API key is allowed to do. */
    scopes: Scope[];
    /** When the API key expires. */
    expiresAt: string | null;
  };
  /** The API key's rate limit. */
  rateLimit: {
    /** Requests that the API key can make in a window. */
    limit: number;
    /** The length of the window, in seconds. */
    windowSeconds: number;
  };
  /** When it was created. */
  createdAt: string;
};

/** A configuration for your program: instructions, the name of a model, knowledge bases. Shows its draft, or the version in `version`. */
export type Agent = {
  /** The id of the agent. */
  id: string;
  environment: Environment;
  status: AgentStatus;
  /** The agent's name. */
  name: string;
  /** What the agent is for. */
  description: string | null;
  /** The model that your program asks, by any name of your own. Parlance runs no model. */
  model: string | null;
  /** What your program tells the model. */
  instructions: string | null;
  /** What your program says first. */
  greeting: string | null;
  /** How much the model varies its replies. */
  temperature: number | null;
  /** The knowledge bases your program searches for this agent, in the same environment. */
  knowledgeBaseIds: string[];
  metadata: Metadata;
  /** The number of the version that this shows, or null for the draft. */
  version: number | null;
  /** Whether the draft differs from the published version. */
  hasUnpublishedChanges: boolean;
  /** The number of the published version. */
  publishedVersion: number | null;
  /** When that version was published. */
  publishedAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type AgentCreatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "agent.created";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Agent;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type AgentDeletedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "agent.deleted";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    /** The id of the agent. */
    object: {
      /** The id of the agent. */
      id: string;
      environment: Environment;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type AgentPage = {
  /** The items of this page. */
  data: Agent[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

export type AgentPublishedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "agent.published";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Agent;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the agent. */
      id?: string;
      environment?: Environment;
      status?: AgentStatus;
      /** The agent's name. */
      name?: string;
      /** What the agent is for. */
      description?: string | null;
      /** The model that your program asks, by any name of your own. Parlance runs no model. */
      model?: string | null;
      /** What your program tells the model. */
      instructions?: string | null;
      /** What your program says first. */
      greeting?: string | null;
      /** How much the model varies its replies. */
      temperature?: number | null;
      /** The knowledge bases your program searches for this agent, in the same environment. */
      knowledgeBaseIds?: string[];
      metadata?: Metadata;
      /** The number of the version that this shows, or null for the draft. */
      version?: number | null;
      /** Whether the draft differs from the published version. */
      hasUnpublishedChanges?: boolean;
      /** The number of the published version. */
      publishedVersion?: number | null;
      /** When that version was published. */
      publishedAt?: string | null;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** `DRAFT` until a member publishes the agent in the dashboard. Never changed through the API. */
export type AgentStatus = "DRAFT" | "PUBLISHED" | "ARCHIVED";

export type AgentUpdatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "agent.updated";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Agent;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the agent. */
      id?: string;
      environment?: Environment;
      status?: AgentStatus;
      /** The agent's name. */
      name?: string;
      /** What the agent is for. */
      description?: string | null;
      /** The model that your program asks, by any name of your own. Parlance runs no model. */
      model?: string | null;
      /** What your program tells the model. */
      instructions?: string | null;
      /** What your program says first. */
      greeting?: string | null;
      /** How much the model varies its replies. */
      temperature?: number | null;
      /** The knowledge bases your program searches for this agent, in the same environment. */
      knowledgeBaseIds?: string[];
      metadata?: Metadata;
      /** The number of the version that this shows, or null for the draft. */
      version?: number | null;
      /** Whether the draft differs from the published version. */
      hasUnpublishedChanges?: boolean;
      /** The number of the published version. */
      publishedVersion?: number | null;
      /** When that version was published. */
      publishedAt?: string | null;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** A published version of an agent. `GET /agents/{agentId}?version=` shows its content. */
export type AgentVersion = {
  /** The number of the version, from 1. */
  version: number;
  /** When it was published. */
  publishedAt: string;
  /** The member who published it. Null if no member did. */
  publishedById: string | null;
  /** The earlier version that a rollback restored as this one. */
  restoredVersion: number | null;
};

export type AgentVersionPage = {
  /** The items of this page. */
  data: AgentVersion[];
  /** The number of the last version. Present only when more pages exist. */
  nextCursor?: string;
};

/** A file of a message. */
export type Attachment = {
  /** The id of the file. */
  id: string;
  /** The name that the file is downloaded with. */
  name: string;
  /** The type by the file's content, whatever its name says. `application/octet-stream` if it is none that Parlance recognizes. */
  contentType: string;
  /** The file's size, in bytes. */
  sizeBytes: number;
  /** A link to download the file, for anyone who has it. PNG, JPEG, GIF and WebP images can be shown in a page. Null in events, because a stored link would expire. */
  url: string | null;
  /** When the link stops working: 5 minutes after the response. Null without a link. */
  urlExpiresAt: string | null;
};

/** What became of a reply in a response. */
export type AttemptReply = {
  /** The message that the reply to this event became. */
  messageId: string | null;
  /** Why this reply was not posted. */
  problem: ReplyProblem | null;
};

/** `AUTOMATIC` by the schedule, `MANUAL` by a resend, `TEST` by a test. Only automatic attempts count as failures. */
export type AttemptTrigger = "AUTOMATIC" | "MANUAL" | "TEST";

/** Who wrote the message: the customer, a member (`USER`), an agent, a program (`API`) or Parlance itself (`SYSTEM`). */
export type AuthorType = "CUSTOMER" | "USER" | "AGENT" | "API" | "SYSTEM";

/** A conversation with a customer on one of your channels. */
export type Conversation = {
  /** The id of the conversation. */
  id: string;
  environment: Environment;
  status: ConversationStatus;
  /** Your own name for the channel; any value. */
  channelId: string;
  /** The id of the customer. */
  customerId: string | null;
  /** The id of the agent. */
  agentId: string | null;
  /** The id of the member who is assigned to the conversation. */
  assigneeId: string | null;
  /** What the conversation is about. */
  subject: string | null;
  priority: Priority;
  /** Your own labels, each at most once. */
  tags: string[];
  metadata: Metadata;
  /** Your own id for the conversation. */
  externalId: string | null;
  /** How many messages the conversation has, notes included. */
  messageCount: number;
  /** When the newest message was posted. */
  lastMessageAt: string | null;
  /** The start of the newest message. */
  lastMessagePreview: string | null;
  /** When a `SNOOZED` conversation reopens. */
  snoozedUntil: string | null;
  /** When it became `RESOLVED`; null before, and after it was reopened. */
  resolvedAt: string | null;
  /** When it became `CLOSED`; null unless it is. */
  closedAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type ConversationCreatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "conversation.created";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Conversation;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type ConversationDeletedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "conversation.deleted";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    /** The ids of the conversation and its customer. */
    object: {
      /** The id of the conversation. */
      id: string;
      environment: Environment;
      /** The id of the customer. */
      customerId: string | null;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type ConversationPage = {
  /** The items of this page. */
  data: Conversation[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** `OPEN` and `PENDING` can become any status. `SNOOZED` reopens at `snoozedUntil` or on a customer's message. `RESOLVED` reopens on a customer's message. `CLOSED` is final, and only a message with `onClosed: "reopen"` opens it again. */
export type ConversationStatus = "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED";

export type ConversationStatusChangedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "conversation.status_changed";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Conversation;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the conversation. */
      id?: string;
      environment?: Environment;
      status?: ConversationStatus;
      /** Your own name for the channel; any value. */
      channelId?: string;
      /** The id of the customer. */
      customerId?: string | null;
      /** The id of the agent. */
      agentId?: string | null;
      /** The id of the member who is assigned to the conversation. */
      assigneeId?: string | null;
      /** What the conversation is about. */
      subject?: string | null;
      priority?: Priority;
      /** Your own labels, each at most once. */
      tags?: string[];
      metadata?: Metadata;
      /** Your own id for the conversation. */
      externalId?: string | null;
      /** How many messages the conversation has, notes included. */
      messageCount?: number;
      /** When the newest message was posted. */
      lastMessageAt?: string | null;
      /** The start of the newest message. */
      lastMessagePreview?: string | null;
      /** When a `SNOOZED` conversation reopens. */
      snoozedUntil?: string | null;
      /** When it became `RESOLVED`; null before, and after it was reopened. */
      resolvedAt?: string | null;
      /** When it became `CLOSED`; null unless it is. */
      closedAt?: string | null;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type ConversationUpdatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "conversation.updated";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Conversation;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the conversation. */
      id?: string;
      environment?: Environment;
      status?: ConversationStatus;
      /** Your own name for the channel; any value. */
      channelId?: string;
      /** The id of the customer. */
      customerId?: string | null;
      /** The id of the agent. */
      agentId?: string | null;
      /** The id of the member who is assigned to the conversation. */
      assigneeId?: string | null;
      /** What the conversation is about. */
      subject?: string | null;
      priority?: Priority;
      /** Your own labels, each at most once. */
      tags?: string[];
      metadata?: Metadata;
      /** Your own id for the conversation. */
      externalId?: string | null;
      /** How many messages the conversation has, notes included. */
      messageCount?: number;
      /** When the newest message was posted. */
      lastMessageAt?: string | null;
      /** The start of the newest message. */
      lastMessagePreview?: string | null;
      /** When a `SNOOZED` conversation reopens. */
      snoozedUntil?: string | null;
      /** When it became `RESOLVED`; null before, and after it was reopened. */
      resolvedAt?: string | null;
      /** When it became `CLOSED`; null unless it is. */
      closedAt?: string | null;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type CopyAgentFromTestBody = {
  /** The id of an agent in test. */
  agentId: string;
  /** What to show: the `draft`, the `published` version, or the version with this number. */
  version?: string | undefined;
};

export type CreateAgentBody = {
  /** The agent's name. */
  name: string;
  /** What the agent is for. */
  description?: string | null | undefined;
  /** The model that your program asks, by any name of your own. Parlance runs no model. */
  model?: string | null | undefined;
  /** What your program tells the model. */
  instructions?: string | null | undefined;
  /** What your program says first. */
  greeting?: string | null | undefined;
  /** How much the model varies its replies. */
  temperature?: number | null | undefined;
  /** The knowledge bases your program searches for this agent, in the same environment. */
  knowledgeBaseIds?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
};

export type CreateConversationBody = {
  /** Your own name for the channel; any value. */
  channelId: string;
  /** The first message: its text, or an object. */
  message?: string | {
    /** The message as plain text. May be missing or empty if the message has attachments. */
    text?: string | undefined;
    /** The ids of files from `POST /files`, in the order to show them. A file can be attached once. */
    attachments?: readonly string[] | undefined;
    /** Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name. */
    author?: {
      type: AuthorType;
      /** The id of the author: any value of your own, or the id of a customer, member or agent. */
      id?: string | null | undefined;
      /** The name to show for the author. */
      name?: string | null | undefined;
    } | undefined;
    /** Your own id for the message. */
    externalId?: string | null | undefined;
    metadata?: Metadata | undefined;
  } | undefined;
  /** The id of the customer. */
  customerId?: string | null | undefined;
  /** A customer to create with the conversation. If a customer with this `externalId` exists, it is used unchanged and the other fields are ignored. */
  customer?: {
    /** Your own id for the customer. Unique in the environment. */
    externalId?: string | null | undefined;
    /** The customer's name. */
    name?: string | null | undefined;
    /** An email address, stored in lower case. */
    email?: string | null | undefined;
    /** A phone number in E.164 format, such as +4930123456. */
    phone?: string | null | undefined;
    /** A BCP 47 language tag, such as de-AT. */
    locale?: string | null | undefined;
    metadata?: Metadata | undefined;
  } | undefined;
  /** The id of the agent. */
  agentId?: string | null | undefined;
  /** What the conversation is about. */
  subject?: string | null | undefined;
  priority?: Priority | undefined;
  /** Your own labels, each at most once. */
  tags?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
  /** Your own id for the conversation. */
  externalId?: string | null | undefined;
};

export type CreateCustomerBody = {
  /** Your own id for the customer. Unique in the environment. */
  externalId?: string | null | undefined;
  /** The customer's name. */
  name?: string | null | undefined;
  /** An email address, stored in lower case. */
  email?: string | null | undefined;
  /** A phone number in E.164 format, such as +4930123456. */
  phone?: string | null | undefined;
  /** A BCP 47 language tag, such as de-AT. */
  locale?: string | null | undefined;
  metadata?: Metadata | undefined;
};

export type CreateDocumentBody = {
  /** The document's name. */
  name: string;
  /** The text that searches find, in place of a file. */
  text: string;
  metadata?: Metadata | undefined;
};

export type CreateFileBody = {
  /** The name that the file is downloaded with. */
  name: string;
  /** The content of a text file, in place of an upload. */
  text: string;
};

export type CreateKnowledgeBaseBody = {
  /** The knowledge base's name. Unique in the environment. */
  name: string;
  /** What the documents are about. */
  description?: string | null | undefined;
  /** The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later. */
  language?: Language | null | undefined;
  metadata?: Metadata | undefined;
};

export type CreateWebhookBody = {
  /** Where events are sent: https, or http in test. Private addresses are refused. */
  url: string;
  /** What the webhook is for. */
  description?: string | null | undefined;
  /** Names from the event catalog, a family such as `conversation.*`, or `*` for all. */
  events: readonly string[];
  /** Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered. */
  filter?: {
    /** The conversation's channel. */
    channelId?: string | readonly string[] | undefined;
    /** A tag of the conversation. With a list, one of its tags must be in the list. */
    tags?: string | readonly string[] | undefined;
    /** The conversation's priority. */
    priority?: Priority | readonly Priority[] | undefined;
    /** The member who is assigned to the conversation. Null is for conversations without one. */
    assigneeId?: string | null | readonly (string | null)[] | undefined;
    /** The conversation's agent. Null is for conversations without one. */
    agentId?: string | null | readonly (string | null)[] | undefined;
  } | null | undefined;
  /** Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned. */
  headers?: Record<string, string> | undefined;
  /** The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts. */
  maxPerSecond?: number | null | undefined;
  ordering?: WebhookOrdering | undefined;
  onExhausted?: WebhookOnExhausted | undefined;
  signatureScheme?: WebhookSignatureScheme | undefined;
  /** Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent. */
  acceptsReplies?: boolean | undefined;
  metadata?: Metadata | undefined;
};

/** A person you talk to. */
export type Customer = {
  /** The id of the customer. */
  id: string;
  environment: Environment;
  /** Your own id for the customer. Unique in the environment. */
  externalId: string | null;
  /** The customer's name. */
  name: string | null;
  /** An email address, stored in lower case. */
  email: string | null;
  /** A phone number in E.164 format, such as +4930123456. */
  phone: string | null;
  /** A BCP 47 language tag, such as de-AT. */
  locale: string | null;
  metadata: Metadata;
  /** How many conversations the customer has. */
  conversationCount: number;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** When the customer's erasure was requested. The customer has no personal data since then and cannot be changed. */
  erasedAt: string | null;
};

export type CustomerCreatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "customer.created";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Customer;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type CustomerDeletedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "customer.deleted";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    /** The id of the customer. */
    object: {
      /** The id of the customer. */
      id: string;
      environment: Environment;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type CustomerErasedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "customer.erased";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    /** The ids of the customer and the erasure. */
    object: {
      /** The id of the customer. */
      id: string;
      environment: Environment;
      /** The id of the erasure. */
      erasureId: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type CustomerPage = {
  /** The items of this page. */
  data: Customer[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

export type CustomerUpdatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "customer.updated";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Customer;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the customer. */
      id?: string;
      environment?: Environment;
      /** Your own id for the customer. Unique in the environment. */
      externalId?: string | null;
      /** The customer's name. */
      name?: string | null;
      /** An email address, stored in lower case. */
      email?: string | null;
      /** A phone number in E.164 format, such as +4930123456. */
      phone?: string | null;
      /** A BCP 47 language tag, such as de-AT. */
      locale?: string | null;
      metadata?: Metadata;
      /** How many conversations the customer has. */
      conversationCount?: number;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
      /** When the customer's erasure was requested. The customer has no personal data since then and cannot be changed. */
      erasedAt?: string | null;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type DeleteAgentResult = {
  /** The id of the agent. */
  id: string;
  /** Always true. */
  deleted: true;
};

export type DeleteConversationResult = {
  /** The id of the conversation. */
  id: string;
  /** Always true. */
  deleted: true;
};

export type DeleteCustomerResult = {
  /** The id of the customer. */
  id: string;
  /** Always true. */
  deleted: true;
};

export type DeleteDocumentResult = {
  /** The id of the document. */
  id: string;
  /** Always true. */
  deleted: true;
};

export type DeleteKnowledgeBaseResult = {
  /** The id of the knowledge base. */
  id: string;
  /** Always true. */
  deleted: true;
};

export type DeleteWebhookResult = {
  /** The id of the webhook. */
  id: string;
  /** Always true. */
  deleted: true;
};

/** An event on its way to a webhook. */
export type Delivery = {
  /** The id of the delivery. */
  id: string;
  /** The id of the webhook. */
  webhookId: string;
  /** The id of the event. */
  eventId: string;
  eventType: EventName;
  status: DeliveryStatus;
  /** Attempts that have ended, including requested ones. */
  attemptCount: number;
  /** When the next attempt is due. Null if there is none, and while a `PENDING` delivery waits for an earlier one of its conversation. */
  nextAttemptAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

/** One attempt to send an event. */
export type DeliveryAttempt = {
  /** 1 for the delivery's first attempt. */
  number: number;
  trigger: AttemptTrigger;
  /** When the attempt started. */
  startedAt: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** The HTTP status of the response, or null if none arrived. */
  statusCode: number | null;
  /** Why no response arrived: `timeout`, `blocked_address`, `dns_error`, `tls_error`, `connection_refused`, `connection_reset`, `connection_error`, `invalid_response` or `invalid_url`. */
  errorCode: string | null;
  /** The first 16 KiB of the response body. */
  response: string | null;
  /** The first 20 headers of a response that failed the attempt, at most 2 KB. Cookies, tokens and other credentials are `[redacted]`, and a value of more than 500 characters is cut off. Null after a success, or without a response. */
  responseHeaders: Record<string, string> | null;
  /** Null if the response had no reply, or the webhook does not accept replies. */
  reply: AttemptReply | null;
};

export type DeliveryPage = {
  /** The items of this page. */
  data: Delivery[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** `PENDING` waits for its first attempt or the next one. `FAILED` has no attempt left. `HELD` waits up to 30 days for its webhook to be enabled and for its own recovery, or its last attempt failed and its conversation waits for it. `DISCARDED` was held and then discarded. */
export type DeliveryStatus = "PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED";

/** A delivery with its attempts. */
export type DeliveryWithAttempts = {
  /** The id of the delivery. */
  id: string;
  /** The id of the webhook. */
  webhookId: string;
  /** The id of the event. */
  eventId: string;
  eventType: EventName;
  status: DeliveryStatus;
  /** Attempts that have ended, including requested ones. */
  attemptCount: number;
  /** When the next attempt is due. Null if there is none, and while a `PENDING` delivery waits for an earlier one of its conversation. */
  nextAttemptAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** The newest 100, the oldest of them first. */
  attempts: DeliveryAttempt[];
};

/** A document of a knowledge base. */
export type Document = {
  /** The id of the document. */
  id: string;
  /** The id of the knowledge base. */
  knowledgeBaseId: string;
  /** The document's name. */
  name: string;
  contentType: DocumentContentType;
  /** The file's size, in bytes. */
  sizeBytes: number;
  /** The file's SHA-256 digest, in hexadecimal. */
  sha256: string;
  status: DocumentStatus;
  /** Why the document could not be read, if its status is `FAILED`. */
  error: {
    code: DocumentErrorCode;
    /** The reason, as a sentence. */
    message: string;
  } | null;
  /** The length of the document's text, in characters. Null until the text has been read. While a new file is being read, this is the length of the earlier text. */
  characterCount: number | null;
  /** The number of parts that the text was split into for the search. Null until the document has been `READY`. */
  chunkCount: number | null;
  metadata: Metadata;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

/** The file's type, by its content. */
export type DocumentContentType = "text/plain" | "text/markdown" | "text/html" | "text/csv" | "application/json" | "application/pdf" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

export type DocumentCreatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "document.created";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Document;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type DocumentDeletedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "document.deleted";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Document;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** Why the document could not be read. */
export type DocumentErrorCode = "empty" | "encrypted" | "invalid_file" | "too_large" | "timeout" | "internal";

export type DocumentFailedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "document.failed";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Document;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** The uploaded file of a document. */
export type DocumentFile = {
  /** The id of the document. */
  documentId: string;
  /** The document's name. */
  name: string;
  contentType: DocumentContentType;
  /** The file's size, in bytes. */
  sizeBytes: number;
  /** The file's SHA-256 digest, in hexadecimal. */
  sha256: string;
  /** A link to download the file, for anyone who has it. */
  url: string | null;
  /** When the link stops working: 5 minutes after the response. */
  urlExpiresAt: string | null;
};

export type DocumentPage = {
  /** The items of this page. */
  data: Document[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

export type DocumentReadyEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "document.ready";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Document;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** `PENDING` and `PROCESSING` until the text has been read, then `READY`, or `FAILED` with an `error`. */
export type DocumentStatus = "PENDING" | "PROCESSING" | "READY" | "FAILED";

export type DocumentUpdatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "document.updated";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Document;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the document. */
      id?: string;
      /** The id of the knowledge base. */
      knowledgeBaseId?: string;
      /** The document's name. */
      name?: string;
      contentType?: DocumentContentType;
      /** The file's size, in bytes. */
      sizeBytes?: number;
      /** The file's SHA-256 digest, in hexadecimal. */
      sha256?: string;
      status?: DocumentStatus;
      /** Why the document could not be read, if its status is `FAILED`. */
      error?: {
        code: DocumentErrorCode;
        /** The reason, as a sentence. */
        message: string;
      } | null;
      /** The length of the document's text, in characters. Null until the text has been read. While a new file is being read, this is the length of the earlier text. */
      characterCount?: number | null;
      /** The number of parts that the text was split into for the search. Null until the document has been `READY`. */
      chunkCount?: number | null;
      metadata?: Metadata;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** `live` is billed. `test` is free, and its data is isolated from live. */
export type Environment = "live" | "test";

/** The removal of everything that is personal about a customer. */
export type Erasure = {
  /** The id of the erasure. */
  id: string;
  /** The id of the customer. */
  customerId: string;
  status: ErasureStatus;
  /** What was removed so far. */
  removed: {
    /** Conversations whose content was removed. */
    conversations: number;
    /** Messages whose content was removed. */
    messages: number;
    /** Attachments that were deleted. */
    files: number;
    /** Events that were redacted. */
    events: number;
    /** Deliveries of these events, whose stored responses were removed. */
    deliveries: number;
    /** Requests whose logged bodies were removed. */
    requestLogs: number;
    /** Stored responses that were removed. */
    idempotencyRecords: number;
  };
  /** What proves the erasure: a signed entry in the organization's audit log. Null until then. */
  receipt: {
    /** The number of the entry in the audit log. */
    auditSequence: number;
    /** An HMAC-SHA-256 over the entry and the one before it, in hexadecimal digits. */
    signature: string;
    /** The key that it was made with. */
    keyId: string;
    /** When it was signed. */
    signedAt: string;
  } | null;
  /** When it was requested. */
  createdAt: string;
  /** When everything was removed. */
  completedAt: string | null;
};

/** `PENDING` until everything is removed. */
export type ErasureStatus = "PENDING" | "COMPLETED";

/** Something that happened. `type` says what, and determines the shape of `data.object`. */
export type Event = ConversationCreatedEvent | ConversationUpdatedEvent | ConversationStatusChangedEvent | ConversationDeletedEvent | MessageReceivedEvent | MessageSentEvent | MessageRedactedEvent | CustomerCreatedEvent | CustomerUpdatedEvent | CustomerDeletedEvent | CustomerErasedEvent | AgentCreatedEvent | AgentUpdatedEvent | AgentPublishedEvent | AgentDeletedEvent | KnowledgeBaseCreatedEvent | KnowledgeBaseUpdatedEvent | KnowledgeBaseDeletedEvent | DocumentCreatedEvent | DocumentUpdatedEvent | DocumentReadyEvent | DocumentFailedEvent | DocumentDeletedEvent | WebhookDisabledEvent | WebhookTestEvent;

/** What happened. New names may be added. */
export type EventName = "conversation.created" | "conversation.updated" | "conversation.status_changed" | "conversation.deleted" | "message.received" | "message.sent" | "message.redacted" | "customer.created" | "customer.updated" | "customer.deleted" | "customer.erased" | "agent.created" | "agent.updated" | "agent.published" | "agent.deleted" | "knowledge_base.created" | "knowledge_base.updated" | "knowledge_base.deleted" | "document.created" | "document.updated" | "document.ready" | "document.failed" | "document.deleted" | "webhook.disabled" | "webhook.test";

export type EventPage = {
  /** The items of this page. */
  data: Event[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** A type of event, with its schema and an example. */
export type EventTypeInfo = {
  type: EventName;
  /** When the event is raised. */
  description: string;
  /** The event as a JSON Schema, draft 2020-12. */
  schema: Record<string, unknown>;
  /** An event of this type. */
  example: Event;
};

export type EventTypeInfoPage = {
  /** Every type of event. */
  data: EventTypeInfo[];
};

/** A file to attach to a message. Deleted after 24 hours if no message has it. */
export type File = {
  /** The id of the file. */
  id: string;
  environment: Environment;
  /** The name that the file is downloaded with. */
  name: string;
  /** The type by the file's content, whatever its name says. `application/octet-stream` if it is none that Parlance recognizes. */
  contentType: string;
  /** The file's size, in bytes. */
  sizeBytes: number;
  /** The file's SHA-256 digest, in hexadecimal. */
  sha256: string;
  /** The message that the file is attached to. */
  messageId: string | null;
  /** A link to download the file, for anyone who has it. PNG, JPEG, GIF and WebP images can be shown in a page. Null in events, because a stored link would expire. */
  url: string | null;
  /** When the link stops working: 5 minutes after the response. Null without a link. */
  urlExpiresAt: string | null;
  /** When it was created. */
  createdAt: string;
};

/** A conversation that matches a search. */
export type FoundConversation = {
  conversation: Conversation;
  /** The fields and up to three messages with words of the query, best first. */
  highlights: SearchHighlight[];
  /** From 0 to 1. Whole words count more than starts of words, words next to each other more than separate ones, and the subject and the customer more than messages. */
  score: number;
};

export type FoundConversationPage = {
  /** The conversations of this page. */
  data: FoundConversation[];
  /** The position of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** The method of a request to the API. */
export type HttpMethod = "HEAD" | "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Documents that your programs search together. */
export type KnowledgeBase = {
  /** The id of the knowledge base. */
  id: string;
  environment: Environment;
  /** The knowledge base's name. Unique in the environment. */
  name: string;
  /** What the documents are about. */
  description: string | null;
  /** The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later. */
  language: Language | null;
  /** How many documents the knowledge base has, by status. */
  documentCounts: {
    /** Documents that wait to be read. */
    pending: number;
    /** Documents that are being read. */
    processing: number;
    /** Documents that a search finds. */
    ready: number;
    /** Documents that could not be read. */
    failed: number;
  };
  /** The size of all files together, in bytes. */
  sizeBytes: number;
  metadata: Metadata;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type KnowledgeBaseCreatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "knowledge_base.created";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: KnowledgeBase;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type KnowledgeBaseDeletedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "knowledge_base.deleted";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    /** The id of the knowledge base. */
    object: {
      /** The id of the knowledge base. */
      id: string;
      environment: Environment;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type KnowledgeBasePage = {
  /** The items of this page. */
  data: KnowledgeBase[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

export type KnowledgeBaseUpdatedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "knowledge_base.updated";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: KnowledgeBase;
    /** The previous values of the fields that changed. */
    previousAttributes?: {
      /** The id of the knowledge base. */
      id?: string;
      environment?: Environment;
      /** The knowledge base's name. Unique in the environment. */
      name?: string;
      /** What the documents are about. */
      description?: string | null;
      /** The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later. */
      language?: Language | null;
      /** How many documents the knowledge base has, by status. */
      documentCounts?: {
        /** Documents that wait to be read. */
        pending: number;
        /** Documents that are being read. */
        processing: number;
        /** Documents that a search finds. */
        ready: number;
        /** Documents that could not be read. */
        failed: number;
      };
      /** The size of all files together, in bytes. */
      sizeBytes?: number;
      metadata?: Metadata;
      /** When it was created. */
      createdAt?: string;
      /** When it was last changed. */
      updatedAt?: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** A part of a document that matches a search. */
export type KnowledgeHit = {
  /** The id of the knowledge base. */
  knowledgeBaseId: string;
  /** The id of the document. */
  documentId: string;
  /** The document's name. */
  name: string;
  /** The number of the part in its document, from 0. */
  position: number;
  /** The part of the document, as plain text. */
  text: string;
  /** Where the words of the query are in `text`: JavaScript's `text.slice(start, end)` for each range. */
  ranges: (number[])[];
  /** The parts before it, in their order. Each part may repeat the last sentence of the one before. */
  before: string[];
  /** The parts after it, in their order. */
  after: string[];
  /** From 0 to 1, the best first. Comparable only within one response. */
  score: number;
};

export type KnowledgeHitPage = {
  /** The parts that match, best first. */
  data: KnowledgeHit[];
};

/** Whether a part must contain `all` words, with `or` between alternatives, or `any` of them. Parts with more of the words come first. */
export type KnowledgeMatch = "all" | "any";

/** The language of documents, as its two letters. */
export type Language = "da" | "de" | "en" | "es" | "fi" | "fr" | "hu" | "it" | "nl" | "no" | "pt" | "ro" | "ru" | "sv" | "tr";

/** A user who works with your conversations in the dashboard. */
export type Member = {
  /** The id of the member. */
  id: string;
  /** The member's name. */
  name: string;
  role: Role;
};

export type MemberPage = {
  /** The items of this page. */
  data: Member[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** A message of a conversation. */
export type Message = {
  /** The id of the message. */
  id: string;
  environment: Environment;
  /** The id of the conversation. */
  conversationId: string;
  /** 1, 2, 3… within its conversation. `createdAt` never decreases along it; ids need not follow it. */
  sequence: number;
  direction: MessageDirection;
  /** The author when the message was posted. Later changes to the customer do not change it. */
  author: {
    type: AuthorType;
    /** The id of the author: any value of your own, or the id of a customer, member or agent. */
    id: string | null;
    /** The name to show for the author. */
    name: string | null;
  };
  /** The message as plain text. Empty if there are only attachments. */
  text: string;
  /** The files of the message. */
  attachments: Attachment[];
  /** Your own id for the message. */
  externalId: string | null;
  metadata: Metadata;
  /** When it was posted. Never earlier than the message before it. */
  createdAt: string;
  /** When its content was removed. `text` is then empty. */
  redactedAt: string | null;
};

/** `INBOUND` from the customer, `OUTBOUND` to the customer, `INTERNAL` for a note that only members see. */
export type MessageDirection = "INBOUND" | "OUTBOUND" | "INTERNAL";

export type MessagePage = {
  /** The items of this page. */
  data: Message[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

export type MessageReceivedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "message.received";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Message;
    /** The id of the agent. */
    agentId: string | null;
    /** The agent's published version, in `message.received`. */
    agentVersion: number | null;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type MessageRedactedEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "message.redacted";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    /** The ids of the message and its conversation. */
    object: {
      /** The id of the message. */
      id: string;
      environment: Environment;
      /** The id of the conversation. */
      conversationId: string;
      /** When its content was removed. */
      redactedAt: string;
    };
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

export type MessageSentEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "message.sent";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Message;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** Your own data: a flat object of at most 50 keys, stored as sent. The key `__proto__` is refused. */
export type Metadata = Record<string, string | number | boolean>;

/** Merged into the stored metadata, key by key. A null deletes its key. */
export type MetadataPatch = Record<string, string | number | boolean | null>;

/** What happens if the conversation is closed. `reopen` posts the message and sets the status to `OPEN`. `new` posts it as the first message of a new conversation with the same channel, customer and agent, which `conversationId` of the response names. Without it, the response is 409 `conversation-closed`. */
export type OnClosed = "reopen" | "new";

/** By creation: `asc` oldest first, `desc` newest first. */
export type Order = "asc" | "desc";

/** The account's plan, which sets its limits. */
export type Plan = "FREE" | "PRO" | "SCALE";

export type PostMessageBody = {
  /** The message as plain text. May be missing or empty if the message has attachments. */
  text?: string | undefined;
  /** The ids of files from `POST /files`, in the order to show them. A file can be attached once. */
  attachments?: readonly string[] | undefined;
  /** Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name. */
  author?: {
    type: AuthorType;
    /** The id of the author: any value of your own, or the id of a customer, member or agent. */
    id?: string | null | undefined;
    /** The name to show for the author. */
    name?: string | null | undefined;
  } | undefined;
  /** `INTERNAL` makes it a note. Otherwise the direction follows from the author and may be left out. */
  direction?: MessageDirection | undefined;
  /** Your own id for the message. */
  externalId?: string | null | undefined;
  metadata?: Metadata | undefined;
  onClosed?: OnClosed | undefined;
};

/** How urgent the conversation is. */
export type Priority = "LOW" | "NORMAL" | "HIGH" | "URGENT";

/** A problem as described by RFC 9457 (formerly RFC 7807). */
export type Problem = {
  /** The kind of the problem: the URL of a page that explains it. */
  type: string;
  /** A short summary, always the same for this kind. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What went wrong this time, for people. */
  detail: string;
  /** The path of the request. */
  instance: string;
  /** The id of the request. */
  requestId: string;
  /** Everything that is wrong with the request. With `validation` and `invalid-cursor`. */
  errors?: ({
    /** A JSON Pointer into `location`. Empty for the whole part. */
    pointer: string;
    location: ProblemLocation;
    /** What is wrong, for programs. */
    code: string;
    /** What is wrong, for people. */
    message: string;
  })[];
  /** With `insufficient-scope`: the scope that the API key lacks. */
  requiredScope?: string;
  /** With `conflict`: the id of the existing object. */
  existingId?: string;
  /** With `limit-reached`: the maximum. */
  limit?: number;
  /** With `limit-reached`: the current amount. */
  current?: number;
  /** With `in-use`: how many conversations the customer has. */
  conversationCount?: number;
  /** Seconds to wait, as in `Retry-After`. */
  retryAfter?: number;
  /** With `invalid-transition`: the current status. */
  from?: string;
  /** With `invalid-transition`: the requested status. */
  to?: string;
  /** With `invalid-transition`: the statuses that are possible. */
  allowed?: string[];
};

/** The part of the request that the pointer points into. */
export type ProblemLocation = "body" | "query" | "path" | "header";

export type RecoverWebhookDeliveriesBody = {
  /** Deliveries of events of this time or later. */
  since: string | Date;
  /** And of this time or earlier. Default: now. */
  until?: string | Date | undefined;
  /** Counts what would be sent, and sends nothing. */
  dryRun?: boolean | undefined;
};

/** How many deliveries are recovered. */
export type Recovery = {
  /** Deliveries that are sent again, or would be. */
  count: number;
};

export type ReplaceDocumentBody = {
  /** The document's name. */
  name: string;
  /** The text that searches find, in place of a file. */
  text: string;
};

/** How many events are replayed. */
export type Replay = {
  /** Events that are sent, or would be. */
  count: number;
  /** More events than `count` may be sent: of a webhook with a filter, only the first 20,000 of the period are counted. */
  isMore: boolean;
};

/** The status of an event's delivery to the webhook. `NONE`: there is none, because the webhook was created later, or did not subscribe to the type. */
export type ReplayStatus = "DELIVERED" | "FAILED" | "HELD" | "DISCARDED" | "NONE";

export type ReplayWebhookBody = {
  /** Events of this time or later. */
  since: string | Date;
  /** And of this time or earlier. Default: now. */
  until?: string | Date | undefined;
  /** Only these types, of those that the webhook subscribes to. */
  eventTypes?: readonly EventName[] | undefined;
  /** Only events whose delivery has one of these statuses. Default: any. A `PENDING` delivery is on its way and is never replayed. */
  statuses?: readonly ReplayStatus[] | undefined;
  /** Counts what would be sent, and sends nothing. */
  dryRun?: boolean | undefined;
};

/** `invalid_json`: the body is not valid JSON in UTF-8. `invalid_reply`: `reply` is not an object with a `text` of 1 to 10,000 characters and nothing else. `too_long`: the text has more than 10,000 characters, or the body more than 64 KiB. `conversation_closed` and `conversation_deleted`: the conversation takes no message. `message_redacted`: the message that it replies to was redacted, or its customer was erased. `already_replied`: an earlier attempt posted the reply to this event. */
export type ReplyProblem = "invalid_json" | "invalid_reply" | "too_long" | "conversation_closed" | "conversation_deleted" | "message_redacted" | "already_replied";

/** A request to the API, without its bodies. */
export type RequestLog = {
  /** The `X-Request-Id` of the response. */
  id: string;
  environment: Environment;
  /** The key that the request was sent with. */
  apiKeyId: string;
  /** The HTTP method of the request. */
  method: string;
  /** The path with its query. Secrets in it are masked. */
  path: string;
  /** The status of the response. */
  status: number;
  /** How long the response took, in milliseconds. */
  durationMs: number;
  /** The kind of error: the last part of the problem's `type`. */
  errorKind: string | null;
  /** The `Idempotency-Key` of the request. */
  idempotencyKey: string | null;
  /** The client's network address. */
  address: string | null;
  /** The `User-Agent` of the request. */
  userAgent: string | null;
  /** Whether the response is that of an earlier request with the same `Idempotency-Key`. */
  isReplay: boolean;
  /** When the request arrived. */
  createdAt: string;
};

export type RequestLogPage = {
  /** The items of this page. */
  data: RequestLog[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** A request to the API, with its bodies. */
export type RequestLogWithBodies = {
  /** The `X-Request-Id` of the response. */
  id: string;
  environment: Environment;
  /** The key that the request was sent with. */
  apiKeyId: string;
  /** The HTTP method of the request. */
  method: string;
  /** The path with its query. Secrets in it are masked. */
  path: string;
  /** The status of the response. */
  status: number;
  /** How long the response took, in milliseconds. */
  durationMs: number;
  /** The kind of error: the last part of the problem's `type`. */
  errorKind: string | null;
  /** The `Idempotency-Key` of the request. */
  idempotencyKey: string | null;
  /** The client's network address. */
  address: string | null;
  /** The `User-Agent` of the request. */
  userAgent: string | null;
  /** Whether the response is that of an earlier request with the same `Idempotency-Key`. */
  isReplay: boolean;
  /** When the request arrived. */
  createdAt: string;
  /** The first 16 KB of the request's body if it was JSON, with secrets masked. Null otherwise. */
  requestBody: string | null;
  /** The first 16 KB of the response's body, with secrets masked. Null for a successful read. */
  responseBody: string | null;
};

/** What the member may do in the dashboard. A `VIEWER` reads conversations and does not reply. */
export type Role = "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";

export type RotateWebhookSecretBody = {
  /** How long the previous secret also signs, in seconds. 0 ends every older secret immediately. */
  overlapSeconds?: number | undefined;
};

/** What an API key is allowed to do. */
export type Scope = "read:conversations" | "write:conversations" | "read:customers" | "write:customers" | "read:agents" | "write:agents" | "read:knowledge" | "write:knowledge" | "read:webhooks" | "write:webhooks" | "read:usage";

/** Where the words are: in the subject, a message or the customer. */
export type SearchField = "subject" | "message" | "customer.name" | "customer.email" | "customer.phone" | "customer.externalId";

/** A part of a conversation with words of a query. */
export type SearchHighlight = {
  field: SearchField;
  /** The message, if it is one. */
  messageId?: string;
  /** The field as plain text. Of a long message, the part around the first word that was found; … marks what is left out. */
  text: string;
  /** Where the words are in `text`: JavaScript's `text.slice(start, end)` for each range. */
  ranges: (number[])[];
};

export type SearchKnowledgeBody = {
  /** The words to find. Use "several words" for a phrase, and `-` before a word that must not occur. */
  q: string;
  /** The knowledge bases to search, such as those of an agent. */
  knowledgeBaseIds: readonly string[];
  match?: KnowledgeMatch | undefined;
  /** The most results to return: 1 to 50. */
  limit?: number | undefined;
  /** How many parts before and after each result to return with it. */
  neighbors?: number | undefined;
};

/** `ranked`: best first, among the 250 newest conversations that match. `newest`: all conversations that match, newest first. A page compares at most 2,500 conversations with the filters; it can be short or empty and still have a `nextCursor`. */
export type SearchOrder = "ranked" | "newest";

/** A document that matches a search. */
export type SearchResult = {
  /** The id of the document. */
  documentId: string;
  /** The document's name. */
  name: string;
  /** The part of the document that fits best, as plain text. */
  text: string;
  /** Where the words of the query are in `text`: JavaScript's `text.slice(start, end)` for each range. */
  ranges: (number[])[];
  /** From 0 to 1, the best first. Comparable only within one response. */
  score: number;
  /** `text` as escaped HTML with `<mark>` around the ranges. For web pages only: a program uses `text`. */
  excerpt: string;
};

export type SearchResultPage = {
  /** The documents that match, best first. */
  data: SearchResult[];
};

export type TestWebhookBody = {
  /** The type of the event to send. Of any other than `webhook.test`, the example of the catalog is sent. */
  type?: EventName | undefined;
};

export type UpdateAgentBody = {
  /** The agent's name. */
  name?: string | undefined;
  /** What the agent is for. */
  description?: string | null | undefined;
  /** The model that your program asks, by any name of your own. Parlance runs no model. */
  model?: string | null | undefined;
  /** What your program tells the model. */
  instructions?: string | null | undefined;
  /** What your program says first. */
  greeting?: string | null | undefined;
  /** How much the model varies its replies. */
  temperature?: number | null | undefined;
  /** The knowledge bases your program searches for this agent, in the same environment. */
  knowledgeBaseIds?: readonly string[] | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpdateConversationBody = {
  status?: ConversationStatus | undefined;
  /** When a `SNOOZED` conversation reopens: in the future, at most one year ahead. */
  snoozedUntil?: string | Date | null | undefined;
  /** The id of the customer. */
  customerId?: string | null | undefined;
  /** The id of the agent. */
  agentId?: string | null | undefined;
  /** The id of a member, from `GET /members`. */
  assigneeId?: string | null | undefined;
  /** What the conversation is about. */
  subject?: string | null | undefined;
  priority?: Priority | undefined;
  /** Replaces all labels. Not together with `addTags` or `removeTags`. */
  tags?: readonly string[] | undefined;
  /** Labels to add. Those that the conversation has already stay where they are. Labels that other requests add or remove at the same time are kept. */
  addTags?: readonly string[] | undefined;
  /** Labels to remove. Those that the conversation does not have are ignored. */
  removeTags?: readonly string[] | undefined;
  metadata?: MetadataPatch | undefined;
  /** Your own id for the conversation. */
  externalId?: string | null | undefined;
};

export type UpdateCustomerBody = {
  /** Your own id for the customer. Unique in the environment. */
  externalId?: string | null | undefined;
  /** The customer's name. */
  name?: string | null | undefined;
  /** An email address, stored in lower case. */
  email?: string | null | undefined;
  /** A phone number in E.164 format, such as +4930123456. */
  phone?: string | null | undefined;
  /** A BCP 47 language tag, such as de-AT. */
  locale?: string | null | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpdateDocumentBody = {
  /** The document's name. */
  name?: string | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpdateKnowledgeBaseBody = {
  /** The knowledge base's name. Unique in the environment. */
  name?: string | undefined;
  /** What the documents are about. */
  description?: string | null | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpdateWebhookBody = {
  /** Where events are sent: https, or http in test. Private addresses are refused. */
  url?: string | undefined;
  /** What the webhook is for. */
  description?: string | null | undefined;
  /** Names from the event catalog, a family such as `conversation.*`, or `*` for all. */
  events?: readonly string[] | undefined;
  /** Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered. */
  filter?: {
    /** The conversation's channel. */
    channelId?: string | readonly string[] | undefined;
    /** A tag of the conversation. With a list, one of its tags must be in the list. */
    tags?: string | readonly string[] | undefined;
    /** The conversation's priority. */
    priority?: Priority | readonly Priority[] | undefined;
    /** The member who is assigned to the conversation. Null is for conversations without one. */
    assigneeId?: string | null | readonly (string | null)[] | undefined;
    /** The conversation's agent. Null is for conversations without one. */
    agentId?: string | null | readonly (string | null)[] | undefined;
  } | null | undefined;
  /** Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned. Merged into the stored headers, name by name. A null removes a header. */
  headers?: Record<string, string | null> | null | undefined;
  /** `ENABLED` resets the count of consecutive failures. */
  status?: WebhookStatus | undefined;
  /** The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts. */
  maxPerSecond?: number | null | undefined;
  ordering?: WebhookOrdering | undefined;
  onExhausted?: WebhookOnExhausted | undefined;
  signatureScheme?: WebhookSignatureScheme | undefined;
  /** Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent. */
  acceptsReplies?: boolean | undefined;
  metadata?: MetadataPatch | undefined;
};

export type UpsertCustomerBody = {
  /** The customer's name. */
  name?: string | null | undefined;
  /** An email address, stored in lower case. */
  email?: string | null | undefined;
  /** A phone number in E.164 format, such as +4930123456. */
  phone?: string | null | undefined;
  /** A BCP 47 language tag, such as de-AT. */
  locale?: string | null | undefined;
  metadata?: MetadataPatch | undefined;
};

/** What the account used in a period. */
export type Usage = {
  environment: Environment;
  /** Whether this usage is billed. Always false in test. */
  billable: boolean;
  /** The days that are counted. */
  period: {
    /** The first day of the period (UTC). */
    start: string;
    /** The last day of the period (UTC), which is included. */
    end: string;
  };
  /** The figures of the whole period. */
  totals: {
    /** Requests with a valid key, except those beyond its rate limit. Counted within a second or two. */
    apiRequests: number;
    /** Conversations that were created. */
    conversationsCreated: number;
    /** Messages whose direction is `INBOUND`. */
    messagesReceived: number;
    /** Messages whose direction is `OUTBOUND`. */
    messagesSent: number;
    /** Documents that existed at the end and have not been deleted since. */
    documentsStored: number;
    /** Files that existed at the end and have not been deleted since. */
    filesStored: number;
    /** The size of those documents and files together, in bytes. */
    storageBytes: number;
    /** Attempts to call a webhook, including retries. */
    webhookDeliveries: number;
    /** Attempts to call a webhook that failed. */
    webhookFailures: number;
  };
  /** The figures of each day of the period until today. */
  series: ({
    /** The day (UTC) of these figures. */
    date: string;
    /** Requests with a valid key, except those beyond its rate limit. Counted within a second or two. */
    apiRequests: number;
    /** Conversations that were created. */
    conversationsCreated: number;
    /** Messages whose direction is `INBOUND`. */
    messagesReceived: number;
    /** Messages whose direction is `OUTBOUND`. */
    messagesSent: number;
    /** Documents that existed at the end and have not been deleted since. */
    documentsStored: number;
    /** Files that existed at the end and have not been deleted since. */
    filesStored: number;
    /** The size of those documents and files together, in bytes. */
    storageBytes: number;
    /** Attempts to call a webhook, including retries. */
    webhookDeliveries: number;
    /** Attempts to call a webhook that failed. */
    webhookFailures: number;
  })[];
};

/** A receiver of events. */
export type Webhook = {
  /** The id of the webhook. */
  id: string;
  environment: Environment;
  /** Where events are sent: https, or http in test. Private addresses are refused. */
  url: string;
  /** What the webhook is for. */
  description: string | null;
  /** Names from the event catalog, a family such as `conversation.*`, or `*` for all. */
  events: string[];
  /** Which conversations' events are sent, or null for all of them. */
  filter: WebhookFilter | null;
  /** The names of the custom headers. Their values are never returned. */
  headerNames: string[];
  /** The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts. */
  maxPerSecond: number | null;
  ordering: WebhookOrdering;
  onExhausted: WebhookOnExhausted;
  signatureScheme: WebhookSignatureScheme;
  /** Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent. */
  acceptsReplies: boolean;
  status: WebhookStatus;
  /** Why it is disabled, or null if it is enabled. */
  disabledReason: WebhookDisabledReason | null;
  /** When it became `DISABLED`; null while it is enabled. */
  disabledAt: string | null;
  /** Automatic attempts that failed since the last success. At 100 the webhook is disabled. */
  consecutiveFailures: number;
  /** When an attempt last succeeded. */
  lastSuccessAt: string | null;
  /** When an attempt last failed. */
  lastFailureAt: string | null;
  /** The last characters of the signing secret. */
  secretHint: string;
  /** When the previous secret stops signing. */
  previousSecretExpiresAt: string | null;
  /** The keys that verify `v1a` signatures, newest first: two during a rotation, none with `hmac`. Also at `/.well-known/webhook-keys/{webhookId}`, as a JSON Web Key Set. */
  publicKeys: string[];
  metadata: Metadata;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type WebhookDisabledEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "webhook.disabled";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Webhook;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** `MANUAL` by a member or the API, `CONSECUTIVE_FAILURES` after 100 failures in a row, `GONE` after a 410 response, `UNCONFIRMED` until the owner of a newly verified address confirms it. */
export type WebhookDisabledReason = "MANUAL" | "CONSECUTIVE_FAILURES" | "GONE" | "UNCONFIRMED";

/** Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered. */
export type WebhookFilter = {
  /** The conversation's channel. */
  channelId?: string | string[];
  /** A tag of the conversation. With a list, one of its tags must be in the list. */
  tags?: string | string[];
  /** The conversation's priority. */
  priority?: Priority | Priority[];
  /** The member who is assigned to the conversation. Null is for conversations without one. */
  assigneeId?: string | null | (string | null)[];
  /** The conversation's agent. Null is for conversations without one. */
  agentId?: string | null | (string | null)[];
};

/** With `ordering`, what happens to the later events of a conversation after the last attempt of one has failed. `continue` sends them. `hold` holds the failed delivery and makes them wait until it is delivered or discarded. */
export type WebhookOnExhausted = "continue" | "hold";

/** `conversation` sends the events of a conversation one after another, in the order in which they happened. Conversations do not wait for each other. */
export type WebhookOrdering = "none" | "conversation";

export type WebhookPage = {
  /** The items of this page. */
  data: Webhook[];
  /** The id of the last item. Present only when more pages exist. */
  nextCursor?: string;
};

/** How `webhook-signature` is made. `hmac`: with the secret (`v1`). `ed25519`: with a private key (`v1a`), so that a receiver needs only the public key. `both`: with both. `X-Service-Signature` is always made with the secret. */
export type WebhookSignatureScheme = "hmac" | "ed25519" | "both";

/** A `DISABLED` webhook is sent nothing; its deliveries are held. */
export type WebhookStatus = "ENABLED" | "DISABLED";

export type WebhookTestEvent = {
  /** The id of the event. */
  id: string;
  /** What happened. */
  type: "webhook.test";
  /** The API version of the object's format. */
  apiVersion: "v1";
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: {
    object: Webhook;
    /** The event that was sent instead, in a test of another type. */
    example?: Record<string, unknown>;
  };
  /** The API request that caused the event, or null if none did. */
  request: {
    /** The id of the request. */
    id: string;
    /** The `Idempotency-Key` of the request. */
    idempotencyKey: string | null;
  } | null;
  /** Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null. */
  redacted?: true;
};

/** A receiver of events, with its signing secret. */
export type WebhookWithSecret = {
  /** The id of the webhook. */
  id: string;
  environment: Environment;
  /** Where events are sent: https, or http in test. Private addresses are refused. */
  url: string;
  /** What the webhook is for. */
  description: string | null;
  /** Names from the event catalog, a family such as `conversation.*`, or `*` for all. */
  events: string[];
  /** Which conversations' events are sent, or null for all of them. */
  filter: WebhookFilter | null;
  /** The names of the custom headers. Their values are never returned. */
  headerNames: string[];
  /** The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts. */
  maxPerSecond: number | null;
  ordering: WebhookOrdering;
  onExhausted: WebhookOnExhausted;
  signatureScheme: WebhookSignatureScheme;
  /** Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent. */
  acceptsReplies: boolean;
  status: WebhookStatus;
  /** Why it is disabled, or null if it is enabled. */
  disabledReason: WebhookDisabledReason | null;
  /** When it became `DISABLED`; null while it is enabled. */
  disabledAt: string | null;
  /** Automatic attempts that failed since the last success. At 100 the webhook is disabled. */
  consecutiveFailures: number;
  /** When an attempt last succeeded. */
  lastSuccessAt: string | null;
  /** When an attempt last failed. */
  lastFailureAt: string | null;
  /** The last characters of the signing secret. */
  secretHint: string;
  /** When the previous secret stops signing. */
  previousSecretExpiresAt: string | null;
  /** The keys that verify `v1a` signatures, newest first: two during a rotation, none with `hmac`. Also at `/.well-known/webhook-keys/{webhookId}`, as a JSON Web Key Set. */
  publicKeys: string[];
  metadata: Metadata;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** The signing secret. Shown only once. */
  secret: string;
};

export type ListConversationsQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED")[] | "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED" | undefined;
  /** Your own name for the channel; any value. */
  channelId?: string | undefined;
  /** Only conversations of this customer. */
  customerId?: string | undefined;
  /** Only conversations of this agent. */
  agentId?: string | undefined;
  /** Only conversations that are assigned to this member. */
  assigneeId?: string | undefined;
  /** Your own id for the conversation. */
  externalId?: string | undefined;
  /** Only conversations with this tag. */
  tag?: string | undefined;
  /** Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text. */
  metadata?: Record<string, string> | undefined;
  /** Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message. */
  updatedSince?: string | Date | undefined;
};

export type SearchConversationsQuery = {
  /** Words to find, all of them, each from the start of a word. Use "several words" for a phrase. Case and accents make no difference. At most 10 words and phrases. */
  q: string;
  /** `ranked`: best first, among the 250 newest conversations that match. `newest`: all conversations that match, newest first. A page compares at most 2,500 conversations with the filters; it can be short or empty and still have a `nextCursor`. */
  sort?: SearchOrder | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Conversations per page: 1 to 50. A larger number is read as 50. */
  limit?: number | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED")[] | "OPEN" | "PENDING" | "SNOOZED" | "RESOLVED" | "CLOSED" | undefined;
  /** Your own name for the channel; any value. */
  channelId?: string | undefined;
  /** Only conversations of this customer. */
  customerId?: string | undefined;
  /** Only conversations of this agent. */
  agentId?: string | undefined;
  /** Only conversations that are assigned to this member. */
  assigneeId?: string | undefined;
  /** Your own id for the conversation. */
  externalId?: string | undefined;
  /** Only conversations with this tag. */
  tag?: string | undefined;
  /** Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text. */
  metadata?: Record<string, string> | undefined;
  /** Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message. */
  updatedSince?: string | Date | undefined;
};

export type ListMessagesQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
};

export type ListCustomersQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
  /** Words to find in `name`, `email`, `phone` and `externalId`, all of them. Each may be the start of a word. Use "several words" for a phrase. Case and accents make no difference. */
  q?: string | undefined;
  /** An email address, stored in lower case. */
  email?: string | undefined;
  /** A phone number in E.164 format, such as +4930123456. */
  phone?: string | undefined;
  /** Your own id for the customer. Unique in the environment. */
  externalId?: string | undefined;
  /** Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text. */
  metadata?: Record<string, string> | undefined;
};

export type DeleteCustomerQuery = {
  /** Whether to delete the customer's conversations, too: at most 1,000. */
  cascade?: boolean | undefined;
};

export type ListAgentsQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
};

export type GetAgentQuery = {
  /** What to show: the `draft`, the `published` version, or the version with this number. */
  version?: string | undefined;
};

export type ListAgentVersionsQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
};

export type ListKnowledgeBasesQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
};

export type ListDocumentsQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("PENDING" | "PROCESSING" | "READY" | "FAILED")[] | "PENDING" | "PROCESSING" | "READY" | "FAILED" | undefined;
};

export type SearchKnowledgeBaseQuery = {
  /** The words to find, all of them. Use "several words" for a phrase, `or` between alternatives, and `-` before a word that must not occur. */
  q: string;
  /** Documents at most: 1 to 50. A larger number is read as 50. */
  limit?: number | undefined;
};

export type ListWebhooksQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
};

export type ListWebhookDeliveriesQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
  /** One status or several, separated by commas. */
  status?: readonly ("PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED")[] | "PENDING" | "DELIVERED" | "FAILED" | "HELD" | "DISCARDED" | undefined;
  /** What happened. New names may be added. */
  eventType?: EventName | undefined;
};

export type ListEventsQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
  /** What happened. New names may be added. */
  type?: EventName | undefined;
  /** Only events of this time or later. */
  since?: string | Date | undefined;
};

export type StreamEventsQuery = {
  /** The id of the last event that you have: the stream continues after it. `start` begins with the oldest stored event. Without a cursor, the stream begins with the next event. The header `Last-Event-ID` takes precedence. */
  cursor?: string | undefined;
  /** Only events of these types, separated by commas. */
  types?: readonly EventName[] | EventName | undefined;
};

export type ListMembersQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
};

export type ListRequestLogsQuery = {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Items per page: 1 to 100. A larger number is read as 100. */
  limit?: number | undefined;
  /** By creation: `asc` oldest first, `desc` newest first. */
  order?: Order | undefined;
  /** Only requests with this key. */
  apiKeyId?: string | undefined;
  /** Only requests with this method. */
  method?: HttpMethod | undefined;
  /** Only responses with this status, or with one of its class: `4xx`, `5xx`, or `2xx` for all below 400. */
  status?: string | undefined;
  /** Only errors of this kind, such as `rate-limited`. */
  errorKind?: string | undefined;
  /** Only requests with this `Idempotency-Key`. */
  idempotencyKey?: string | undefined;
  /** Only requests whose path starts with this. */
  path?: string | undefined;
  /** Only requests of this time or later. */
  since?: string | Date | undefined;
  /** Only requests before this time. */
  until?: string | Date | undefined;
};

export type GetUsageQuery = {
  /** The first day (UTC). Default: the first day of the month of `to`. */
  from?: string | undefined;
  /** The last day (UTC). Default: the last day of this month. */
  to?: string | undefined;
};

/** Every operation of the API by its operationId. */
export type Operations = {
  listConversations: {
    route: "GET /conversations";
    query: ListConversationsQuery;
    body: undefined;
    response: ConversationPage;
  };
  createConversation: {
    route: "POST /conversations";
    query: undefined;
    body: CreateConversationBody;
    response: Conversation;
  };
  searchConversations: {
    route: "GET /conversations/search";
    query: SearchConversationsQuery;
    body: undefined;
    response: FoundConversationPage;
  };
  getConversation: {
    route: "GET /conversations/{conversationId}";
    query: undefined;
    body: undefined;
    response: Conversation;
  };
  updateConversation: {
    route: "PATCH /conversations/{conversationId}";
    query: undefined;
    body: UpdateConversationBody;
    response: Conversation;
  };
  deleteConversation: {
    route: "DELETE /conversations/{conversationId}";
    query: undefined;
    body: undefined;
    response: DeleteConversationResult;
  };
  listMessages: {
    route: "GET /conversations/{conversationId}/messages";
    query: ListMessagesQuery;
    body: undefined;
    response: MessagePage;
  };
  postMessage: {
    route: "POST /conversations/{conversationId}/messages";
    query: undefined;
    body: PostMessageBody;
    response: Message;
  };
  getMessage: {
    route: "GET /conversations/{conversationId}/messages/{messageId}";
    query: undefined;
    body: undefined;
    response: Message;
  };
  redactMessage: {
    route: "DELETE /conversations/{conversationId}/messages/{messageId}";
    query: undefined;
    body: undefined;
    response: Message;
  };
  createFile: {
    route: "POST /files";
    query: undefined;
    body: CreateFileBody;
    response: File;
  };
  getFile: {
    route: "GET /files/{fileId}";
    query: undefined;
    body: undefined;
    response: File;
  };
  listCustomers: {
    route: "GET /customers";
    query: ListCustomersQuery;
    body: undefined;
    response: CustomerPage;
  };
  createCustomer: {
    route: "POST /customers";
    query: undefined;
    body: CreateCustomerBody;
    response: Customer;
  };
  getCustomer: {
    route: "GET /customers/{customerId}";
    query: undefined;
    body: undefined;
    response: Customer;
  };
  updateCustomer: {
    route: "PATCH /customers/{customerId}";
    query: undefined;
    body: UpdateCustomerBody;
    response: Customer;
  };
  deleteCustomer: {
    route: "DELETE /customers/{customerId}";
    query: DeleteCustomerQuery;
    body: undefined;
    response: DeleteCustomerResult;
  };
  upsertCustomer: {
    route: "PUT /customers/by-external-id/{externalId}";
    query: undefined;
    body: UpsertCustomerBody;
    response: Customer;
  };
  eraseCustomer: {
    route: "POST /customers/{customerId}/erase";
    query: undefined;
    body: undefined;
    response: Erasure;
  };
  getErasure: {
    route: "GET /erasures/{erasureId}";
    query: undefined;
    body: undefined;
    response: Erasure;
  };
  listAgents: {
    route: "GET /agents";
    query: ListAgentsQuery;
    body: undefined;
    response: AgentPage;
  };
  createAgent: {
    route: "POST /agents";
    query: undefined;
    body: CreateAgentBody;
    response: Agent;
  };
  copyAgentFromTest: {
    route: "POST /agents/copy-from-test";
    query: undefined;
    body: CopyAgentFromTestBody;
    response: Agent;
  };
  getAgent: {
    route: "GET /agents/{agentId}";
    query: GetAgentQuery;
    body: undefined;
    response: Agent;
  };
  updateAgent: {
    route: "PATCH /agents/{agentId}";
    query: undefined;
    body: UpdateAgentBody;
    response: Agent;
  };
  deleteAgent: {
    route: "DELETE /agents/{agentId}";
    query: undefined;
    body: undefined;
    response: DeleteAgentResult;
  };
  listAgentVersions: {
    route: "GET /agents/{agentId}/versions";
    query: ListAgentVersionsQuery;
    body: undefined;
    response: AgentVersionPage;
  };
  listKnowledgeBases: {
    route: "GET /knowledge-bases";
    query: ListKnowledgeBasesQuery;
    body: undefined;
    response: KnowledgeBasePage;
  };
  createKnowledgeBase: {
    route: "POST /knowledge-bases";
    query: undefined;
    body: CreateKnowledgeBaseBody;
    response: KnowledgeBase;
  };
  getKnowledgeBase: {
    route: "GET /knowledge-bases/{knowledgeBaseId}";
    query: undefined;
    body: undefined;
    response: KnowledgeBase;
  };
  updateKnowledgeBase: {
    route: "PATCH /knowledge-bases/{knowledgeBaseId}";
    query: undefined;
    body: UpdateKnowledgeBaseBody;
    response: KnowledgeBase;
  };
  deleteKnowledgeBase: {
    route: "DELETE /knowledge-bases/{knowledgeBaseId}";
    query: undefined;
    body: undefined;
    response: DeleteKnowledgeBaseResult;
  };
  listDocuments: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/documents";
    query: ListDocumentsQuery;
    body: undefined;
    response: DocumentPage;
  };
  createDocument: {
    route: "POST /knowledge-bases/{knowledgeBaseId}/documents";
    query: undefined;
    body: CreateDocumentBody;
    response: Document;
  };
  getDocument: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}";
    query: undefined;
    body: undefined;
    response: Document;
  };
  replaceDocument: {
    route: "PUT /knowledge-bases/{knowledgeBaseId}/documents/{documentId}";
    query: undefined;
    body: ReplaceDocumentBody;
    response: Document;
  };
  updateDocument: {
    route: "PATCH /knowledge-bases/{knowledgeBaseId}/documents/{documentId}";
    query: undefined;
    body: UpdateDocumentBody;
    response: Document;
  };
  deleteDocument: {
    route: "DELETE /knowledge-bases/{knowledgeBaseId}/documents/{documentId}";
    query: undefined;
    body: undefined;
    response: DeleteDocumentResult;
  };
  getDocumentFile: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}/file";
    query: undefined;
    body: undefined;
    response: DocumentFile;
  };
  retryDocument: {
    route: "POST /knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry";
    query: undefined;
    body: undefined;
    response: Document;
  };
  searchKnowledgeBase: {
    route: "GET /knowledge-bases/{knowledgeBaseId}/search";
    query: SearchKnowledgeBaseQuery;
    body: undefined;
    response: SearchResultPage;
  };
  searchKnowledge: {
    route: "POST /knowledge/search";
    query: undefined;
    body: SearchKnowledgeBody;
    response: KnowledgeHitPage;
  };
  listWebhooks: {
    route: "GET /webhooks";
    query: ListWebhooksQuery;
    body: undefined;
    response: WebhookPage;
  };
  createWebhook: {
    route: "POST /webhooks";
    query: undefined;
    body: CreateWebhookBody;
    response: WebhookWithSecret;
  };
  getWebhook: {
    route: "GET /webhooks/{webhookId}";
    query: undefined;
    body: undefined;
    response: Webhook;
  };
  updateWebhook: {
    route: "PATCH /webhooks/{webhookId}";
    query: undefined;
    body: UpdateWebhookBody;
    response: Webhook;
  };
  deleteWebhook: {
    route: "DELETE /webhooks/{webhookId}";
    query: undefined;
    body: undefined;
    response: DeleteWebhookResult;
  };
  rotateWebhookSecret: {
    route: "POST /webhooks/{webhookId}/rotate-secret";
    query: undefined;
    body: RotateWebhookSecretBody;
    response: WebhookWithSecret;
  };
  testWebhook: {
    route: "POST /webhooks/{webhookId}/test";
    query: undefined;
    body: TestWebhookBody;
    response: Delivery;
  };
  listWebhookDeliveries: {
    route: "GET /webhooks/{webhookId}/deliveries";
    query: ListWebhookDeliveriesQuery;
    body: undefined;
    response: DeliveryPage;
  };
  getWebhookDelivery: {
    route: "GET /webhooks/{webhookId}/deliveries/{deliveryId}";
    query: undefined;
    body: undefined;
    response: DeliveryWithAttempts;
  };
  resendWebhookDelivery: {
    route: "POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend";
    query: undefined;
    body: undefined;
    response: Delivery;
  };
  recoverWebhookDeliveries: {
    route: "POST /webhooks/{webhookId}/recover";
    query: undefined;
    body: RecoverWebhookDeliveriesBody;
    response: Recovery;
  };
  replayWebhook: {
    route: "POST /webhooks/{webhookId}/replay";
    query: undefined;
    body: ReplayWebhookBody;
    response: Replay;
  };
  listEvents: {
    route: "GET /events";
    query: ListEventsQuery;
    body: undefined;
    response: EventPage;
  };
  streamEvents: {
    route: "GET /events/stream";
    query: StreamEventsQuery;
    body: undefined;
    response: unknown;
  };
  getEvent: {
    route: "GET /events/{eventId}";
    query: undefined;
    body: undefined;
    response: Event;
  };
  listEventTypes: {
    route: "GET /event-types";
    query: undefined;
    body: undefined;
    response: EventTypeInfoPage;
  };
  listMembers: {
    route: "GET /members";
    query: ListMembersQuery;
    body: undefined;
    response: MemberPage;
  };
  listRequestLogs: {
    route: "GET /request-logs";
    query: ListRequestLogsQuery;
    body: undefined;
    response: RequestLogPage;
  };
  getRequestLog: {
    route: "GET /request-logs/{requestId}";
    query: undefined;
    body: undefined;
    response: RequestLogWithBodies;
  };
  getUsage: {
    route: "GET /usage";
    query: GetUsageQuery;
    body: undefined;
    response: Usage;
  };
  getAccount: {
    route: "GET /account";
    query: undefined;
    body: undefined;
    response: Account;
  };
};

declare enum UnknownType {
  Newer = "newer",
}

/** An event of a type that is newer than this package. */
export type UnknownEvent = {
  /** The id of the event. */
  id: string;
  /** What happened, as text such as `ticket.merged`. */
  type: UnknownType;
  /** The API version of the object's format. */
  apiVersion: string;
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: { object: Record<string, unknown>; previousAttributes?: Record<string, unknown> };
  /** The API request that caused the event, or null if none did. */
  request: { id: string; idempotencyKey: string | null } | null;
  /** Content was removed from the event. */
  redacted?: true;
};

/**
 * Everything that a webhook can be sent. `type` tells which. A `switch` over all types leaves
 * `UnknownEvent`: newer versions of the API can send other types.
 */
export type WebhookEvent =
  | ConversationCreatedEvent
  | ConversationUpdatedEvent
  | ConversationStatusChangedEvent
  | ConversationDeletedEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | MessageRedactedEvent
  | CustomerCreatedEvent
  | CustomerUpdatedEvent
  | CustomerDeletedEvent
  | CustomerErasedEvent
  | AgentCreatedEvent
  | AgentUpdatedEvent
  | AgentPublishedEvent
  | AgentDeletedEvent
  | KnowledgeBaseCreatedEvent
  | KnowledgeBaseUpdatedEvent
  | KnowledgeBaseDeletedEvent
  | DocumentCreatedEvent
  | DocumentUpdatedEvent
  | DocumentReadyEvent
  | DocumentFailedEvent
  | DocumentDeletedEvent
  | WebhookDisabledEvent
  | WebhookTestEvent
  | UnknownEvent;
