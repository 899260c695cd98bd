// The acknowledged changes, which the database and the receivers are compared with at the end.

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type SentRequest = {
  method: Method;
  path: string;
  body: string | FormParts | null;
  key: string | null;
};
/** One file and its name, as multipart/form-data. */
export type FormParts = { fileName: string; content: string };

/** A response below 500. `text` is the body byte for byte. */
export type ApiResponse = { status: number; text: string; isReplay: boolean };

/**
 * A successful change with an idempotency key, so that it can be repeated.
 */
export type Acknowledged = { request: SentRequest; response: ApiResponse };

/**
 * A created object, which must exist once. If the response was lost and not retried (`isCertain` is
 * false), it must exist at most once.
 */
export type Made = { label: string; id: string | null; isCertain: boolean };

export type History = {
  /** Changes with keys. Each is repeated at the end, and must get the same bytes. */
  acknowledged: Acknowledged[];
  acknowledgedWithoutKey: number;
  conversations: Made[];
  messages: Made[];
  customers: Made[];
  documents: Made[];
  files: Made[];
  /** Messages and their conversations, to search for, and files by the message that has them. */
  posted: { id: string; label: string; conversationId: string; fileId: string | null }[];
  /**
   * The last acknowledged subject, by the conversation's id. Likewise for customers'
   * names.
   */
  subjects: Map<string, string>;
  names: Map<string, string>;
  /**
   * The number of acknowledged changes to the fields of a conversation or customer.
   */
  changes: Map<string, number>;
  deletedDocuments: Set<string>;
  deletedWebhooks: Set<string>;
  /** Requests that got no response, or a server error, and were retried. */
  retries: number;
  /** Descriptions of everything that should not have happened. */
  violations: string[];
};

export const newHistory = (): History => ({
  acknowledged: [],
  acknowledgedWithoutKey: 0,
  conversations: [],
  messages: [],
  customers: [],
  documents: [],
  files: [],
  posted: [],
  subjects: new Map(),
  names: new Map(),
  changes: new Map(),
  deletedDocuments: new Set(),
  deletedWebhooks: new Set(),
  retries: 0,
  violations: [],
});

export const countAcknowledged = ({ acknowledged, acknowledgedWithoutKey }: History): number =>
  acknowledged.length + acknowledgedWithoutKey;
