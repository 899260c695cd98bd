import { hash } from "node:crypto";
import {
  type IdempotencyRecord,
  recordLifetimeMs,
  recordValues,
} from "@/lib/events/idempotency-record";
import { changeParameters, locksKey, recordParameters, writeRecord } from "@/lib/events/outbox.sql";
import type { Partition } from "@/lib/platform/caller";
import { type Db, runSql } from "@/lib/platform/db";
import {
  erased,
  errorKinds,
  idempotencyInProgress,
  idempotencyKeyReused,
  invalidIdempotencyKey,
} from "@/lib/platform/errors";
import { openSecret, sealSecret, storedResponseContext } from "@/lib/platform/secret-box";
import { sql } from "@/lib/platform/sql";
import { isLockTimeout } from "@/lib/platform/sql-errors";
import type { ApiRequest } from "./read-request";

/** A stored response. Requests with the same key get exactly these bytes. */
export type StoredResponse = { status: number; body: string };

/** Two requests are the same if all of these are equal. */
type RequestIdentity = {
  method: string;
  path: string;
  search: string;
  ifMatch: string | undefined;
  bytes: Uint8Array;
};

/**
 * The record to write for a request with an `Idempotency-Key`, or null without one.
 * @throws AppError `invalid-idempotency-key`
 */
export function newRecord(
  request: ApiRequest,
  identity: RequestIdentity,
  status: number,
  now: Date,
): IdempotencyRecord | null {
  const header = request.headers.get("idempotency-key");
  if (header === null) return null;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidIdempotencyKey();
  const { method, path, search, ifMatch, bytes } = identity;
  const condition = ifMatch === undefined ? "" : ` If-Match: ${ifMatch}`;
  const hashed = Buffer.concat([Buffer.from(`${method} ${path}?${search}${condition}\n`), bytes]);
  const fingerprint = hash("sha256", hashed, "buffer");
  return { key, fingerprint, status, expiresAt: new Date(now.getTime() + recordLifetimeMs) };
}

const findResponseStatement = sql(
  "find_stored_response",
  {
    tenantId: "text",
    environment: "Environment",
    key: "text",
    fingerprint: "bytea",
    at: "timestamptz",
  },
  (p) => `
  SELECT status, body, is_encrypted AS "isEncrypted", fingerprint = ${p.fingerprint} AS "isSameRequest" FROM idempotency_records
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND key = ${p.key} AND expires_at > ${p.at}`,
);

type ResponseRow = StoredResponse & { isEncrypted: boolean; isSameRequest: boolean };

/**
 * The stored response of an earlier request with this key, or null.
 * @throws AppError `idempotency-key-reused` if that was a different request
 */
export async function findStoredResponse(
  partition: Partition,
  { key, fingerprint }: IdempotencyRecord,
  transaction?: { db: Db },
): Promise<StoredResponse | null> {
  const [stored] = await runSql<ResponseRow>(
    findResponseStatement({ ...partition, key, fingerprint, at: new Date() }),
    transaction,
  );
  if (!stored) return null;
  if (!stored.isSameRequest) throw idempotencyKeyReused();
  // An erasure clears the body, but not the record: the change must not be made again.
  if (stored.status === errorKinds.gone.status && stored.body === "") throw erased("response");
  const body = stored.isEncrypted
    ? openSecret(stored.body, storedResponseContext(partition, key))
    : stored.body;
  return { status: stored.status, body };
}

const insertRecordStatement = sql(
  "insert_idempotency_record",
  { ...changeParameters, ...recordParameters },
  (p) => `WITH ${writeRecord(p, { from: "(SELECT 1) AS always" })} SELECT 1 FROM record`,
);

/**
 * Writes the record, unless the key is taken. Waits while another transaction with the same key is
 * running.
 * @returns whether the key was free; if not, the stored response can be read.
 */
export async function insertRecord(
  transaction: { db: Db },
  partition: Partition,
  record: IdempotencyRecord,
  body: string,
  at: Date,
): Promise<boolean> {
  try {
    const query = insertRecordStatement({ ...partition, at, ...recordValues(record, body) });
    return (await runSql(query, transaction)).length > 0;
  } catch (error) {
    throw isLockTimeout(error) ? idempotencyInProgress() : error;
  }
}

/** Adds the response to a record that the same transaction inserted. */
export async function storeResponse(
  transaction: Db,
  partition: Partition,
  { key }: IdempotencyRecord,
  { status, body }: StoredResponse,
  holdsSecret: boolean,
): Promise<void> {
  await transaction.idempotencyRecord.update({
    where: { tenantId_environment_key: { ...partition, key } },
    data: {
      status,
      body: holdsSecret ? sealSecret(body, storedResponseContext(partition, key)) : body,
      isEncrypted: holdsSecret,
    },
  });
}

const keyIsFreeStatement = sql(
  "idempotency_key_is_free",
  { tenantId: "text", environment: "Environment", idempotencyKey: "text" },
  (p) => `SELECT ${locksKey(p)} AS "isFree"`,
);

/**
 * Whether a one-statement change with a key timed out waiting for the first request with that key.
 * PostgreSQL names the table of a locked row to the first who waits for it, and nothing to those behind,
 * nor for the lock on a key. So the key is tried.
 */
export async function hasWaitedForRecord(
  error: unknown,
  partition: Partition,
  { key }: IdempotencyRecord,
): Promise<boolean> {
  if (!isLockTimeout(error)) return false;
  const { where } = error as { where?: string };
  if (where !== undefined) return where.includes("idempotency_records");
  const [tried] = await runSql<{ isFree: boolean }>(
    keyIsFreeStatement({ ...partition, idempotencyKey: key }),
  );
  return tried?.isFree === false;
}
