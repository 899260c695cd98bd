import { randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import { Readable } from "node:stream";
import { openBlobStore } from "@/lib/platform/blobs/blob-store";
import { receiveFile } from "@/lib/platform/blobs/incoming-file";
import type { Env } from "@/lib/platform/env";
import type { Finding } from "./doctor";

/** A database that cannot grow blocks every write, and a 20 MiB upload needs its space twice. */
const leastFreeBytes = 256 * 1_024 ** 2;

/** Stores, reads and removes a small file, the same way as an upload. */
export async function examineStorage(env: Env): Promise<Finding> {
  const { S3_BUCKET, BLOB_DIRECTORY } = env;
  const subject = "files";
  const content = "doctor";
  const key = `doctor/${randomUUID()}`;
  const place = S3_BUCKET ? `the bucket ${S3_BUCKET}` : BLOB_DIRECTORY;
  const incoming = await receiveFile(Readable.from([Buffer.from(content)]), content.length).catch(
    (error: Error) => error,
  );
  if (incoming instanceof Error) {
    const { message } = incoming.cause instanceof Error ? incoming.cause : incoming;
    const problem = `uploads arrive in ${BLOB_DIRECTORY}, which cannot be written (${message})`;
    return { subject, problem: `${problem}. Make it writable, free space, or set BLOB_DIRECTORY` };
  }
  try {
    const store = await openBlobStore(env);
    await store.put(key, incoming);
    const found = await store.get(key);
    found?.destroy();
    await store.remove(key);
    if (!found) return { subject, problem: `${place} does not return what was stored in it` };
    return { subject, fact: `can be stored in ${place}` };
  } catch (error) {
    const { name, message } = error as Error;
    const settings = S3_BUCKET
      ? "S3_BUCKET, S3_ENDPOINT, S3_REGION and the credentials"
      : "BLOB_DIRECTORY";
    return {
      subject,
      problem: `cannot be stored in ${place} (${message || name}). Check ${settings}`,
    };
  } finally {
    await incoming.discard();
  }
}

/** How much space is left for uploads, logs and the embedded database. */
export async function examineDisk({ DATA_DIR, BLOB_DIRECTORY }: Env): Promise<Finding> {
  const subject = "disk";
  const free = await Promise.all([DATA_DIR, BLOB_DIRECTORY].map(freeBytes));
  const least = Math.min(...free);
  const mebibytes = Math.floor(least / 1_024 ** 2).toLocaleString("en-US");
  const place = free[0] === least ? `DATA_DIR (${DATA_DIR})` : `BLOB_DIRECTORY (${BLOB_DIRECTORY})`;
  if (least < leastFreeBytes)
    return { subject, problem: `only ${mebibytes} MiB are free in ${place}. Free some space` };
  return {
    subject,
    fact: Number.isFinite(least)
      ? `${mebibytes} MiB are free in ${place}`
      : "no directory is in use yet",
  };
}

/** Infinity if the directory does not exist, because then nothing is written there. */
async function freeBytes(directory: string): Promise<number> {
  return statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
}
