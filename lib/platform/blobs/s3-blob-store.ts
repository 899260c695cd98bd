import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { log } from "@/lib/platform/log";
import type { BlobStore } from "./blob-store";
import type { IncomingFile } from "./incoming-file";

type Options = {
  bucket: string;
  region: string;
  endpoint?: string | undefined;
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** How long the store may neither send nor accept anything while a request is in progress. */
  silenceMs?: number;
};

const connectionTimeoutMs = 5_000;
const maximumAttempts = 3;

type CommandLog = { commandName?: string; error?: Error };

/**
 * The client logs sentences, and objects for failed commands. Inputs and outputs of commands are
 * not logged.
 */
export function logLine(content: unknown): string {
  if (typeof content !== "object" || content === null) return String(content);
  const { commandName = "A command", error } = content as CommandLog;
  return `${commandName} failed: ${error?.name ?? "unknown error"}${error?.message ? ` (${error.message})` : ""}`;
}

/**
 * Stores files in a bucket of any S3-compatible store. Custom endpoints use path-style URLs,
 * because few support bucket hosts.
 */
export function s3BlobStore({
  bucket,
  region,
  endpoint,
  credentials,
  silenceMs = 60_000,
}: Options): BlobStore {
  // The client would warn in eight lines that a later version needs a newer Node. The lock file
  // determines the version.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Many stores do not support the newer checksums. The body's SHA-256 is part of the signature
    // anyway.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: maximumAttempts,
    // By default, the client would write to the console. This is about each attempt. The caller logs
    // the final failure.
    logger: {
      debug: () => {},
      info: () => {},
      warn: (content) => log.debug({ store: "s3" }, logLine(content)),
      error: (content) => log.debug({ store: "s3" }, logLine(content)),
    },
    // Not `requestTimeout`, which only logs a warning by default, and would otherwise end long
    // uploads that are making progress.
    requestHandler: { connectionTimeout: connectionTimeoutMs, socketTimeout: silenceMs },
  });

  async function putOnce(key: string, { path, sizeBytes, sha256 }: IncomingFile): Promise<void> {
    const body = createReadStream(path);
    // Node ends the process if a stream fails and nothing listens. The client may no longer listen
    // once the store has refused the file.
    body.on("error", () => {});
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: body,
      ContentLength: sizeBytes,
    });
    command.middlewareStack.add(
      (next) => (input) => {
        // Signs the file's known hash, so that the store refuses a body that was damaged on the
        // way.
        (input.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] =
          sha256.toString("hex");
        return next(input);
      },
      { step: "build", name: "signBody" },
    );
    try {
      await client.send(command);
    } finally {
      // The client leaves a body open that it did not read to the end.
      body.destroy();
    }
  }

  return {
    put: async (key, file) => {
      // The client itself does not retry bodies that are streams.
      for (let attempt = 1; ; attempt++) {
        try {
          return await putOnce(key, file);
        } catch (error) {
          if (attempt === maximumAttempts || (error as { $fault?: string }).$fault === "client")
            throw error;
          await sleep(100 * 2 ** attempt);
        }
      }
    },
    get: async (key, signal) => {
      try {
        const command = new GetObjectCommand({ Bucket: bucket, Key: key });
        const { Body } = await client.send(command, signal && { abortSignal: signal });
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
