import type { RecordValues } from "./outbox.sql";

/**
 * The idempotency record that a change writes in the same transaction. `status` is that of the
 * stored response.
 */
export type IdempotencyRecord = {
  key: string;
  fingerprint: Buffer;
  status: number;
  expiresAt: Date;
};

/** Turns a result into the response's body: checked against the contract, then JSON. */
export type Serialize<Result> = (result: Result) => string;

/** The record's parameters of a one-statement change; none without a key. */
export const recordValues = (record: IdempotencyRecord | null, body: string): RecordValues =>
  record === null
    ? {}
    : {
        idempotencyKey: record.key,
        fingerprint: record.fingerprint,
        responseStatus: record.status,
        responseBody: body,
        recordExpiresAt: record.expiresAt,
      };

/** How long a response is stored. */
export const recordLifetimeMs = 24 * 3_600_000;
