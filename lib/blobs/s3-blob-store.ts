import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { BlobStore } from "./blob-store";

type Options = {
  bucket: string;
  region: string;
  endpoint?: string | undefined;
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
};

const connectionTimeoutMs = 5_000;
const requestTimeoutMs = 60_000;

/** In a bucket of any S3-compatible store. Named by path where there is an endpoint, because few of those answer to hosts. */
export function s3BlobStore({ bucket, region, endpoint, credentials }: Options): BlobStore {
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // The newer checksums are unknown to many stores; the body's SHA-256 is part of the signature anyway.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 3,
    requestHandler: { connectionTimeout: connectionTimeoutMs, requestTimeout: requestTimeoutMs },
  });

  return {
    put: async (key, { path, sizeBytes, sha256 }) => {
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: createReadStream(path), ContentLength: sizeBytes });
      command.middlewareStack.add(
        (next) => (input) => {
          // Signed as the file's own hash, which is known, so that the store refuses whatever was damaged on the way.
          (input.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = sha256.toString("hex");
          return next(input);
        },
        { step: "build", name: "signBody" },
      );
      await client.send(command);
    },
    get: async (key) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body instanceof Readable ? Body : null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    remove: async (key) => {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
