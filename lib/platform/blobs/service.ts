import { randomUUID } from "node:crypto";
import type { Caller, Partition } from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";
import { warnOfFailure } from "@/lib/platform/warn-of-failure";
import { blobStore } from "./blob-store";
import type { IncomingFile } from "./incoming-file";

const apiLog = logOf("api");
const jobsLog = logOf("jobs");

const blob = { tenantId: "text", environment: "Environment", key: "text" } as const;

const isBlob = (p: Record<keyof typeof blob, string>) =>
  `tenant_id = ${p.tenantId} AND environment = ${p.environment} AND key = ${p.key}`;

/**
 * How long a stored file may have no owner. The transaction that adopts it follows within seconds.
 */
const adoptionSeconds = 3_600;

// All times are the database's: the job that removes files goes by them, too.

const addStrayBlobStatement = sql(
  "add_stray_blob",
  { ...blob, seconds: "float8" },
  (p) => `
  INSERT INTO stray_blobs (tenant_id, environment, key, remove_after)
  VALUES (${p.tenantId}, ${p.environment}, ${p.key}, now() + make_interval(secs => ${p.seconds}))`,
);

/** With a margin, so that a job cannot be removing the file right now. */
const adoptStrayBlobStatement = sql(
  "adopt_stray_blob",
  blob,
  (p) =>
    `DELETE FROM stray_blobs WHERE ${isBlob(p)} AND remove_after > now() + interval '${adoptionSeconds / 2} seconds' RETURNING 1`,
);

const removeBlobAfterStatement = sql(
  "remove_blob_after",
  { ...blob, seconds: "float8" },
  (p) =>
    `UPDATE stray_blobs SET remove_after = now() + make_interval(secs => ${p.seconds}) WHERE ${isBlob(p)}`,
);

/** A file in the store, with the facts that were determined while receiving it. */
export type StoredFile = {
  blobKey: string;
  contentType: string;
  sizeBytes: number;
  sha256: Buffer;
};

/**
 * Stores a file outside any transaction, with a record that it has no owner yet. Unless a
 * transaction adopts it, a job removes it later. So a crash at any moment leaves neither a
 * permanent orphan nor a row without its file.
 * @returns its key
 */
export async function storeBlob(partition: Partition, file: IncomingFile): Promise<string> {
  const key = `${partition.tenantId}/${partition.environment}/${randomUUID()}`;
  await runSql(addStrayBlobStatement({ ...partition, key, seconds: adoptionSeconds }));
  const store = await blobStore();
  await store.put(key, file);
  return key;
}

/**
 * Stores a file, then runs the transaction that adopts it, because the store is not part of the
 * transaction. If the transaction does not adopt the file, it is removed.
 */
export async function withStoredFile<Result>(
  partition: Partition,
  { incoming, contentType }: { incoming: IncomingFile; contentType: string },
  work: (file: StoredFile) => Promise<Result>,
): Promise<Result> {
  const { sizeBytes, sha256 } = incoming;
  const blobKey = await storeBlob(partition, incoming);
  try {
    return await work({ blobKey, contentType, sizeBytes, sha256 });
  } finally {
    await releaseBlob(partition, blobKey).catch((error) =>
      // The outcome of `work` is what the caller needs to know. The record is due later anyway.
      warnOfFailure(apiLog, error, {}, "a file without an owner will be removed later"),
    );
  }
}

/** Call it in the transaction that writes the row that owns the file. */
export async function adoptBlob(caller: Caller, key: string): Promise<void> {
  const adopted = await runSql(adoptStrayBlobStatement({ ...caller.partition, key }), caller);
  if (adopted.length === 0) throw new Error("the file to adopt is gone or already has an owner");
}

/**
 * Call it in the transaction that deletes the row that owned the file. The file is removed after
 * the commit.
 */
export async function abandonBlob(caller: Caller, key: string): Promise<void> {
  await runSql(addStrayBlobStatement({ ...caller.partition, key, seconds: 0 }), caller);
}

/** Marks a file that no transaction adopted for removal. Does nothing for an adopted file. */
async function releaseBlob(partition: Partition, key: string): Promise<void> {
  await runSql(removeBlobAfterStatement({ ...partition, key, seconds: 0 }));
}

/** Held by a backup. While it is, no file is removed. */
export const blobRemovalLock = 7_140_031;

/**
 * Claimed blobs are postponed, so that one that cannot be removed now does not block the others.
 */
const claimStrayBlobsStatement = (limit: number) =>
  sql(
    "claim_stray_blobs",
    { now: "clock" },
    (p) => `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, environment, key FROM stray_blobs WHERE remove_after <= ${timeOf(p.now)} AND ${isNotMoving("tenant_id")}
      AND pg_try_advisory_xact_lock_shared(${blobRemovalLock})
    ORDER BY remove_after LIMIT ${limit} FOR UPDATE SKIP LOCKED
  )
  UPDATE stray_blobs b SET remove_after = ${timeOf(p.now)} + interval '5 minutes'
  FROM ${fewRowsOf("due")} AS due WHERE b.tenant_id = due.tenant_id AND b.environment = due.environment AND b.key = due.key
  RETURNING b.tenant_id, b.environment, b.key`,
  );

type StrayBlob = { tenant_id: string; environment: Partition["environment"]; key: string };

const parallelRemovals = 5;
/** Not the same for all, so that files that cannot be removed do not come back as one batch. */
const retryRemovalSeconds = () => 300 * (1 + Math.random());

/**
 * Removes files without an owner. The record is deleted last, so a crash in between only means that
 * the file is removed twice. A file that cannot be removed is tried again later and does not hold
 * up the others.
 * @returns how many files were removed
 */
export async function removeStrayBlobs(limit: number): Promise<number> {
  const rows = await runSql<StrayBlob>(claimStrayBlobsStatement(limit)({}));
  const store = await blobStore();
  let removed = 0;
  const failures: { key: string; error: unknown }[] = [];
  const waiting = rows.values();
  const removeWaiting = async () => {
    for (const { tenant_id: tenantId, environment, key } of waiting) {
      const strayBlob = { tenantId, environment, key };
      try {
        await store.remove(key);
        await db().strayBlob.deleteMany({ where: strayBlob });
        removed += 1;
      } catch (error) {
        failures.push({ key, error });
        await runSql(removeBlobAfterStatement({ ...strayBlob, seconds: retryRemovalSeconds() }));
      }
    }
  };
  await Promise.all(Array.from({ length: parallelRemovals }, removeWaiting));
  const [first] = failures;
  if (first)
    warnOfFailure(
      jobsLog,
      first.error,
      { files: failures.length, key: first.key },
      "files could not be removed and will be tried again",
    );
  return removed;
}
