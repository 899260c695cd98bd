// What the load was told, against which the database and the receivers are held in the end.

export type Method = "POST" | "PATCH" | "DELETE";
export type SentRequest = {
  method: Method;
  path: string;
  body: string | FormParts | null;
  key: string | null;
};
/** One file and its name, as multipart/form-data. */
export type FormParts = { fileName: string; content: string };

/** An answer below 500, or the knowledge that none came. `text` is the body byte for byte. */
export type Answer = { status: number; text: string; isReplay: boolean };

/**
 * A change that was answered with success, and with an idempotency key so that it can be asked for
 * again.
 */
export type Acknowledged = { request: SentRequest; answer: Answer };

/**
 * A thing that was made, and is there once; where the answer was lost and not asked for again
 * (`isCertain` is false), at most once.
 */
export type Made = { label: string; id: string | null; isCertain: boolean };

export type History = {
  /** With keys: each is repeated at the end, and must get the same bytes again. */
  acknowledged: Acknowledged[];
  acknowledgedWithoutKey: number;
  conversations: Made[];
  messages: Made[];
  customers: Made[];
  documents: Made[];
  /**
   * The last subject that was acknowledged, by the conversation's id; likewise for customers'
   * names.
   */
  subjects: Map<string, string>;
  names: Map<string, string>;
  /**
   * How often a conversation's or customer's fields were changed, as far as that was acknowledged.
   */
  changes: Map<string, number>;
  deletedDocuments: Set<string>;
  deletedWebhooks: Set<string>;
  /** Requests that got no answer, or one that the database was away, and were sent again. */
  retries: number;
  /** What should not have happened, in words. */
  violations: string[];
};

export const newHistory = (): History => ({
  acknowledged: [],
  acknowledgedWithoutKey: 0,
  conversations: [],
  messages: [],
  customers: [],
  documents: [],
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
