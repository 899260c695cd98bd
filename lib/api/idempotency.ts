import { createHash } from "node:crypto";
import type { Claim } from "@/lib/events/idempotency-record";
import { claim as claimCte } from "@/lib/events/outbox.sql";
import type { Partition } from "@/lib/platform/caller";
import { type Db, db, sqlState } from "@/lib/platform/db";
import {
  idempotencyInProgress,
  idempotencyKeyReused,
  invalidIdempotencyKey,
} from "@/lib/platform/errors";
import { openSecret, sealSecret, storedAnswerContext } from "@/lib/platform/secret-box";

const windowMs = 24 * 3_600_000;

/** An answer that was stored: what a request with the same key gets, byte for byte. */
export type StoredAnswer = { status: number; body: string };

/** What makes two requests the same one. */
type RequestIdentity = { method: string; path: string; search: string; bytes: Uint8Array };

/**
 * The claim of a request's `Idempotency-Key`, or null where it has none.
 * @throws AppError `invalid-idempotency-key`
 */
export function readClaim(
  request: Request,
  identity: RequestIdentity,
  status: number,
  now: Date,
): Claim | null {
  const header = request.headers.get("idempotency-key");
  if (header === null) return null;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidIdempotencyKey();
  const fingerprint = createHash("sha256")
    .update(`${identity.method} ${identity.path}?${identity.search}\n`)
    .update(identity.bytes)
    .digest();
  return { key, fingerprint, status, expiresAt: new Date(now.getTime() + windowMs) };
}

/**
 * The stored answer of an earlier request with this key, or null.
 * @throws AppError `idempotency-key-reused` where that was another request
 */
export async function findStoredAnswer(
  partition: Partition,
  { key, fingerprint }: Claim,
  transaction: Db = db(),
): Promise<StoredAnswer | null> {
  const record = await transaction.idempotencyRecord.findUnique({
    where: { tenantId_environment_key: { ...partition, key } },
  });
  if (!record || record.expiresAt <= new Date()) return null;
  if (!fingerprint.equals(record.fingerprint)) {
    throw idempotencyKeyReused();
  }
  const body = record.isEncrypted
    ? openSecret(record.body, storedAnswerContext(partition, key))
    : record.body;
  return { status: record.status, body };
}

const claimSql = `WITH ${claimCte({ from: "(SELECT 1) AS always" })} SELECT 1 AS claimed FROM claim`;

/**
 * Claims the key in the transaction of the change. Waits while another transaction with the same
 * key is running.
 * @returns whether the key was free; if not, the stored answer is there to be read.
 */
export async function claimKey(
  transaction: Db,
  partition: Partition,
  claim: Claim,
  body: string,
  now: Date,
): Promise<boolean> {
  const values = [
    partition.tenantId,
    partition.environment,
    now,
    claim.key,
    claim.fingerprint,
    claim.status,
    body,
    claim.expiresAt,
  ];
  try {
    const rows = await transaction.$queryRawUnsafe<{ claimed: number }[]>(claimSql, ...values);
    return rows.length > 0;
  } catch (error) {
    throw sqlState(error) === lockTimeout ? idempotencyInProgress() : error;
  }
}

const lockTimeout = "55P03";

/** Completes the record with the answer, in the same transaction. */
export async function storeAnswer(
  transaction: Db,
  partition: Partition,
  { key }: Claim,
  body: string,
  holdsSecret: boolean,
): Promise<void> {
  await transaction.idempotencyRecord.update({
    where: { tenantId_environment_key: { ...partition, key } },
    data: {
      body: holdsSecret ? sealSecret(body, storedAnswerContext(partition, key)) : body,
      isEncrypted: holdsSecret,
    },
  });
}

/**
 * Of a change in one statement: whether what it waited for in vain was the end of the first request
 * with its key.
 */
export function isStillClaimed(error: unknown): boolean {
  return (
    sqlState(error) === lockTimeout &&
    String((error as { where?: unknown }).where).includes("idempotency_records")
  );
}
