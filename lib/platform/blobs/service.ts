import { randomUUID } from "node:crypto";
import type { Caller, Partition } from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import { sql, timeOf } from "@/lib/platform/sql";
import { blobStore } from "./blob-store";
import type { IncomingFile } from "./incoming-file";

/**
 * How long a stored file may be nobody's. The transaction that is to own it follows within seconds.
 */
const adoptionMs = 3_600_000;

/** A file in the store, with what was found out about it while it came. */
export type StoredFile = {
  blobKey: string;
  contentType: string;
  sizeBytes: number;
  sha256: Buffer;
};

/**
 * Keeps a file, outside of any transaction, with a note that it is nobody's yet. Unless a
 * transaction adopts it, it is removed by and by: a crash at any moment leaves no file behind for
 * good, and no row without its file.
 * @returns its key
 */
export async function storeBlob(partition: Partition, file: IncomingFile): Promise<string> {
  const key = `${partition.tenantId}/${partition.environment}/${randomUUID()}`;
  await db().strayBlob.create({
    data: { ...partition, key, removeAfter: new Date(Date.now() + adoptionMs) },
  });
  const store = await blobStore();
  await store.put(key, file);
  return key;
}

/**
 * Keeps a file while `work` runs the transaction that is to adopt it, because the store is no part
 * of that. What is not adopted, for the transaction refused it, is removed again.
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
    await releaseBlob(partition, blobKey);
  }
}

/** In the transaction that writes the row which owns the file from now on. */
export async function adoptBlob({ db, partition }: Caller, key: string): Promise<void> {
  // With a margin, so that it is not just being removed.
  const latest = new Date(Date.now() + adoptionMs / 2);
  const { count } = await db.strayBlob.deleteMany({
    where: { ...partition, key, removeAfter: { gt: latest } },
  });
  if (count === 0) throw new Error("a file was to be kept that is gone or has an owner");
}

/**
 * In the transaction that deletes the row which owned the file. It is removed once that has
 * committed.
 */
export async function abandonBlob({ db, partition }: Caller, key: string): Promise<void> {
  await db.strayBlob.create({ data: { ...partition, key, removeAfter: new Date() } });
}

/**
 * For a file that no transaction adopted: it is removed at the next occasion. One that was adopted
 * stays.
 */
async function releaseBlob(partition: Partition, key: string): Promise<void> {
  await db().strayBlob.updateMany({
    where: { ...partition, key },
    data: { removeAfter: new Date() },
  });
}

/**
 * Each is put off for a while, so that what cannot be removed now does not stand in the way of the
 * others.
 */
const claimStrayBlobsStatement = (limit: number) =>
  sql(
    "claim_stray_blobs",
    { now: "clock" },
    (p) => `
  UPDATE stray_blobs SET remove_after = ${timeOf(p.now)} + interval '5 minutes'
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM stray_blobs WHERE remove_after <= ${timeOf(p.now)}
    ORDER BY remove_after LIMIT ${limit} FOR UPDATE SKIP LOCKED
  ))
  RETURNING tenant_id, environment, key`,
  );

type StrayBlob = { tenant_id: string; environment: Partition["environment"]; key: string };

/**
 * Removes files that are nobody's. The note goes last, so a crash in between only means removing
 * the file again.
 */
export async function removeStrayBlobs(limit: number): Promise<number> {
  const rows = await runSql<StrayBlob>(claimStrayBlobsStatement(limit)({}));
  const store = await blobStore();
  for (const { tenant_id: tenantId, environment, key } of rows) {
    await store.remove(key);
    await db().strayBlob.deleteMany({ where: { tenantId, environment, key } });
  }
  return rows.length;
}
