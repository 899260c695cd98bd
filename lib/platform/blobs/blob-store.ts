import type { Readable } from "node:stream";
import { isDiskFull } from "@/lib/platform/disk-full";
import { type Env, env } from "@/lib/platform/env";
import { FilesUnavailable } from "@/lib/platform/files-unavailable";
import { diskBlobStore } from "./disk-blob-store";
import type { IncomingFile } from "./incoming-file";

/** Stores files under generated keys, independent of their names. */
export type BlobStore = {
  /**
   * Stores an incoming file under a new key. The file may be moved, so it may be gone afterwards.
   */
  put: (key: string, file: IncomingFile) => Promise<void>;
  /** Null if the file does not exist. The signal ends a download that is in progress. */
  get: (key: string, signal?: AbortSignal) => Promise<Readable | null>;
  /** Succeeds even if the file does not exist. */
  remove: (key: string) => Promise<void>;
};

let store: Promise<BlobStore> | undefined;

/**
 * S3 if a bucket is configured, otherwise this machine's disk. The S3 client is loaded only if
 * needed.
 */
export function blobStore(): Promise<BlobStore> {
  store ??= openBlobStore(env()).then(explained);
  return store;
}

/** A failure of the store names its place, so that no one takes it for one of the database. */
function explained({ put, get, remove }: BlobStore): BlobStore {
  const { S3_BUCKET, BLOB_DIRECTORY } = env();
  const place = S3_BUCKET ? `the bucket ${S3_BUCKET}` : BLOB_DIRECTORY;
  const failing = (what: string) => (error: Error) => {
    throw isDiskFull(error)
      ? error
      : new FilesUnavailable(`${what} ${place} (${error.message || error.name})`, { cause: error });
  };
  return {
    put: (key, file) => put(key, file).catch(failing("a file cannot be stored in")),
    get: (key, signal) => get(key, signal).catch(failing("a file cannot be read from")),
    remove: (key) => remove(key).catch(failing("a file cannot be removed from")),
  };
}

export async function openBlobStore(env: Env): Promise<BlobStore> {
  const {
    S3_BUCKET,
    S3_ENDPOINT,
    S3_REGION,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    BLOB_DIRECTORY,
  } = env;
  if (!S3_BUCKET) return diskBlobStore(BLOB_DIRECTORY);
  const { s3BlobStore } = await import("./s3-blob-store");
  const credentials =
    S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY
      ? { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY }
      : undefined;
  return s3BlobStore({ bucket: S3_BUCKET, endpoint: S3_ENDPOINT, region: S3_REGION, credentials });
}
