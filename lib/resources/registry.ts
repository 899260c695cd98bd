/** What the rest of the code derives from a noun. A part that is absent does not apply to it. */
type Noun = {
  /** The name of one, in error messages and in the documentation. */
  label: string;
  /** Ids are `<prefix>_<ULID>`. */
  idPrefix?: string;
  api?: {
    /** The path segment of the list, or of the only one. */
    path: string;
    isSingleton?: true;
    /** First segments of further paths that are documented under the same tag. */
    otherPaths?: readonly string[];
    /** The reference's group of its operations. Absent if its paths are below another noun's. */
    tag?: { name: string; description: string };
  };
  /**
   * The table of its paginated list. `parent` is the column with the id of the item that the list
   * belongs to.
   */
  list?: { table: string; parent: string | null };
  /** `read:<name>`, and `write:<name>` unless nothing can be written. */
  scope?: { name: string; label: string; isReadOnly?: true; presets: readonly ScopePreset[] };
  /** The types of its events, in the order of the catalog. */
  events?: readonly `${string}.${string}`[];
  /** The actions on it, and their names in the audit log. */
  auditActions?: Record<`${string}.${string}`, string>;
  /**
   * Its page below `/<tenant>/<environment>/`. `{parent}` is the id of the item that it belongs to,
   * which the `go` route looks up.
   */
  dashboardPath?: string;
};

/** The presets of scopes in the dashboard, besides all scopes and all `read:` scopes. */
export type ScopePreset = "messaging" | "webhooks";

/**
 * Every noun of Parlance. Id prefixes, scopes, event types, audit actions, API tags, cursors and
 * dashboard links are derived from this list. What cannot be derived is a `Record` over one of its
 * types, so the compiler names the files that a new noun still needs.
 */
export const nouns = {
  apiKey: {
    label: "API key",
    idPrefix: "key",
    auditActions: {
      "api_key.created": "API key created",
      "api_key.updated": "API key changed",
      "api_key.rolled": "API key rotated",
      "api_key.revoked": "API key revoked",
    },
    dashboardPath: "api-keys/{id}",
  },
  conversation: {
    label: "conversation",
    idPrefix: "cnv",
    api: {
      path: "conversations",
      tag: {
        name: "Conversations",
        description:
          "A conversation with a customer on one of your channels, and the messages in it. It starts as `OPEN`, can wait as `PENDING` or `SNOOZED`, and ends as `RESOLVED` (a customer's message reopens it) or `CLOSED` (final, unless a message asks to reopen it).",
      },
    },
    list: { table: "conversations", parent: null },
    scope: { name: "conversations", label: "Conversations", presets: ["messaging"] },
    events: [
      "conversation.created",
      "conversation.updated",
      "conversation.status_changed",
      "conversation.deleted",
    ],
    auditActions: { "conversation.deleted": "Conversation deleted" },
    dashboardPath: "conversations/{id}",
  },
  message: {
    label: "message",
    idPrefix: "msg",
    api: { path: "messages" },
    list: { table: "messages", parent: "conversation_id" },
    events: ["message.received", "message.sent", "message.redacted"],
    auditActions: { "message.redacted": "Message redacted" },
    dashboardPath: "conversations/{parent}#{id}",
  },
  file: {
    label: "file",
    idPrefix: "fil",
    api: {
      path: "files",
      tag: {
        name: "Files",
        description:
          "Files that messages have as `attachments`. Upload a file first, then post a message with its id.",
      },
    },
  },
  customer: {
    label: "customer",
    idPrefix: "cus",
    api: {
      path: "customers",
      otherPaths: ["erasures"],
      tag: {
        name: "Customers",
        description:
          "The people you talk to, identified by your own `externalId`, an email address or a phone number.",
      },
    },
    list: { table: "customers", parent: null },
    scope: { name: "customers", label: "Customers", presets: ["messaging"] },
    events: ["customer.created", "customer.updated", "customer.deleted", "customer.erased"],
    auditActions: {
      "customer.deleted": "Customer deleted",
      "customer.erasure_requested": "Erasure of a customer requested",
      "customer.erased": "Customer erased",
    },
    dashboardPath: "customers/{id}",
  },
  agent: {
    label: "agent",
    idPrefix: "agt",
    api: {
      path: "agents",
      tag: {
        name: "Agents",
        description:
          "Configurations for your programs: instructions, the name of a model, knowledge bases. Parlance stores them and does not run a model: your program reads an agent and posts its replies as messages with the author `AGENT`. The API reads and writes the **draft**. A member publishes it in the dashboard, and the `agent.published` event carries the published version.",
      },
    },
    list: { table: "agents", parent: null },
    scope: { name: "agents", label: "Agents", presets: [] },
    events: ["agent.created", "agent.updated", "agent.published", "agent.deleted"],
    auditActions: {
      "agent.created": "Agent created",
      "agent.updated": "Agent updated",
      "agent.published": "Agent published",
      "agent.rolled_back": "Agent rolled back",
      "agent.archived": "Agent archived",
      "agent.deleted": "Agent deleted",
    },
    dashboardPath: "agents/{id}",
  },
  knowledgeBase: {
    label: "knowledge base",
    idPrefix: "kb",
    api: {
      path: "knowledge-bases",
      otherPaths: ["knowledge"],
      tag: {
        name: "Knowledge bases",
        description:
          "Documents that your programs search, for agents or anything else. In the background, the text of an uploaded file is extracted, split into parts and indexed for search.",
      },
    },
    list: { table: "knowledge_bases", parent: null },
    scope: { name: "knowledge", label: "Knowledge", presets: [] },
    events: ["knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted"],
    auditActions: {
      "knowledge_base.created": "Knowledge base created",
      "knowledge_base.updated": "Knowledge base updated",
      "knowledge_base.deleted": "Knowledge base deleted",
    },
    dashboardPath: "knowledge/{id}",
  },
  document: {
    label: "document",
    idPrefix: "doc",
    api: { path: "documents" },
    list: { table: "documents", parent: "knowledge_base_id" },
    events: [
      "document.created",
      "document.updated",
      "document.ready",
      "document.failed",
      "document.deleted",
    ],
    auditActions: {
      "document.created": "Document created",
      "document.updated": "Document updated",
      "document.replaced": "Document replaced",
      "document.retried": "Document retried",
      "document.deleted": "Document deleted",
    },
    dashboardPath: "knowledge/{parent}/documents/{id}",
  },
  webhook: {
    label: "webhook",
    idPrefix: "whk",
    api: {
      path: "webhooks",
      tag: {
        name: "Webhooks",
        description: "Your receivers of events, with their signing secrets and every delivery.",
      },
    },
    list: { table: "webhooks", parent: null },
    scope: { name: "webhooks", label: "Webhooks", presets: ["webhooks"] },
    events: ["webhook.disabled", "webhook.test"],
    auditActions: {
      "webhook.created": "Webhook created",
      "webhook.updated": "Webhook updated",
      "webhook.address_refused": "Webhook address refused",
      "webhook.deleted": "Webhook deleted",
      "webhook.disabled": "Webhook disabled by the service",
      "webhook.secret_rotated": "Signing secret rotated",
      "webhook.old_secret_dropped": "Old signing secret expired",
      "webhook.test_sent": "Test event sent",
      "webhook.delivery_resent": "Delivery resent",
      "webhook.deliveries_recovered": "Deliveries recovered",
      "webhook.events_replayed": "Events replayed",
      "webhook.deliveries_resumed": "Held deliveries resumed",
      "webhook.deliveries_discarded": "Held deliveries discarded",
    },
    dashboardPath: "webhooks/{id}",
  },
  delivery: {
    label: "delivery",
    idPrefix: "dlv",
    api: { path: "deliveries" },
    list: { table: "deliveries", parent: "webhook_id" },
    dashboardPath: "webhooks/{parent}?delivery={id}",
  },
  event: {
    label: "event",
    idPrefix: "evt",
    api: {
      path: "events",
      otherPaths: ["event-types"],
      tag: {
        name: "Events",
        description:
          "Everything that happened in the last 30 days, whether or not a webhook subscribes to it.",
      },
    },
    dashboardPath: "events/{id}",
  },
  usage: {
    label: "usage",
    api: {
      path: "usage",
      isSingleton: true,
      tag: {
        name: "Usage",
        description:
          "What the account has used. Usage of the test environment is counted and never billed.",
      },
    },
    scope: { name: "usage", label: "Usage, account and logs", isReadOnly: true, presets: [] },
  },
  /** An organization; the API calls it the account. */
  tenant: {
    label: "account",
    idPrefix: "ten",
    api: {
      path: "account",
      isSingleton: true,
      tag: {
        name: "Account",
        description: "The account that the API key belongs to, and the key's scopes.",
      },
    },
  },
  request: {
    label: "request",
    idPrefix: "req",
    api: {
      path: "request-logs",
      tag: {
        name: "Request logs",
        description:
          "The requests of the last 30 days, with their responses. A key that has every `read:` scope sees the requests of all keys in its environment. Any other key sees its own.",
      },
    },
    list: { table: "request_logs", parent: null },
    dashboardPath: "logs/{id}",
  },
  user: {
    label: "member",
    idPrefix: "usr",
    api: {
      path: "members",
      tag: { name: "Members", description: "The members that conversations can be assigned to." },
    },
    dashboardPath: "settings/members",
  },
  session: { label: "session", idPrefix: "ses" },
  invitation: { label: "invitation", idPrefix: "inv" },
  passwordReset: { label: "password reset", idPrefix: "pwr" },
  mail: { label: "mail", idPrefix: "mail" },
  notification: { label: "notification", idPrefix: "ntf" },
  alert: { label: "alert", idPrefix: "alr" },
  erasure: { label: "erasure", idPrefix: "ers", api: { path: "erasures" } },
  backlogTask: { label: "backlog task", idPrefix: "btk" },
} as const satisfies Record<string, Noun>;

type Nouns = typeof nouns;
export type NounName = keyof Nouns;

/** The nouns that have a part: `NounsWith<"idPrefix">` are those with ids. */
export type NounsWith<Part extends keyof Noun> = {
  [Name in NounName]: Nouns[Name] extends Record<Part, unknown> ? Name : never;
}[NounName];

/** The tables whose lists are paginated by id. */
export type ListedTable = Nouns[NounsWith<"list">]["list"]["table"];

/** That part of every noun that has it, in the order of the list. */
export function partsOf<Part extends keyof Noun>(part: Part): NonNullable<Noun[Part]>[] {
  return Object.values<Noun>(nouns).flatMap((noun) => {
    const found = noun[part];
    return found === undefined ? [] : [found as NonNullable<Noun[Part]>];
  });
}
