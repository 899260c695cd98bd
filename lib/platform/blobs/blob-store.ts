import type { Readable } from "node:stream";
import { type Env, env } from "@/lib/platform/env";
import { diskBlobStore } from "./disk-blob-store";
import type { IncomingFile } from "./incoming-file";

/** Stores files under generated keys, independent of their names. */
export type BlobStore = {
  /**
   * Stores an incoming file under a new key. The file may be moved, so it may be gone afterwards.
   */
  put: (key: string, file: IncomingFile) => Promise<void>;
  /** Null if the file does not exist. */
  get: (key: string) => Promise<Readable | null>;
  /** Succeeds even if the file does not exist. */
  remove: (key: string) => Promise<void>;
};

let store: Promise<BlobStore> | undefined;

/**
 * S3 if a bucket is configured, otherwise this machine's disk. The S3 client is loaded only if
 * needed.
 */
export function blobStore(): Promise<BlobStore> {
  store ??= openBlobStore(env());
  return store;
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
