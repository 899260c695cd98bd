import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { isDiskFull } from "@/lib/platform/disk-full";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/errors";
import { FilesUnavailable } from "@/lib/platform/files-unavailable";

/**
 * A file that has arrived completely and is not stored yet. The caller always discards it in the
 * end. If it was stored, it is already gone by then.
 */
export type IncomingFile = {
  path: string;
  sizeBytes: number;
  sha256: Buffer;
  /** At most its first 1,024 bytes. */
  head: Buffer;
  /** Valid UTF-8 without a NUL. */
  isText: boolean;
  discard: () => Promise<void>;
};

const headBytes = 1_024;
/** No upload takes this long, so an older file was left by a killed process. */
const staleMs = 3_600_000;

const incomingDirectory = () => path.join(env().BLOB_DIRECTORY, "incoming");

/**
 * Writes the stream to a temporary file, and counts and hashes it on the way. If it fails, no file
 * is left.
 * @throws AppError `payload-too-large` as soon as there is more than `maximumBytes`
 */
export async function receiveFile(
  source: AsyncIterable<Uint8Array>,
  maximumBytes: number,
): Promise<IncomingFile> {
  await prepareDirectory();
  const file = path.join(incomingDirectory(), randomUUID());
  const discard = () => rm(file, { force: true });
  const hash = createHash("sha256");
  const text = textDetector();
  let sizeBytes = 0;
  let head = Buffer.alloc(0);

  async function* observed() {
    for await (const chunk of source) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maximumBytes) throw tooLarge(maximumBytes);
      hash.update(chunk);
      text.add(chunk);
      if (head.length < headBytes) head = Buffer.concat([head, chunk]).subarray(0, headBytes);
      yield chunk;
    }
  }
  const target = createWriteStream(file, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(observed, target);
  } catch (error) {
    // The file may still be opening. If it were removed now, it would be created again.
    if (!target.closed) await new Promise<void>((resolve) => target.once("close", () => resolve()));
    await discard();
    throw isOfTarget(error) && !isDiskFull(error) ? notWritten(error as Error) : error;
  }
  return { path: file, sizeBytes, sha256: hash.digest(), head, isText: text.isText(), discard };
}

/** The end of a file, at most that many bytes of it. */
export async function readTail(
  { path, sizeBytes }: Pick<IncomingFile, "path" | "sizeBytes">,
  maximumBytes: number,
): Promise<Buffer> {
  const handle = await open(path);
  try {
    const length = Math.min(maximumBytes, sizeBytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, sizeBytes - length);
    return buffer;
  } finally {
    await handle.close();
  }
}

export const tooLarge = (maximumBytes: number) =>
  new AppError(
    "payload-too-large",
    `A file has at most ${maximumBytes / 1_024 ** 2} MiB.`,
    {},
    { Connection: "close" },
  );

function textDetector() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isText = true;
  const attempt = (decode: () => unknown) => {
    try {
      decode();
    } catch {
      isText = false;
    }
  };
  return {
    add: (chunk: Uint8Array) => {
      if (!isText) return;
      attempt(() => decoder.decode(chunk, { stream: true }));
      if (chunk.includes(0)) isText = false;
    },
    isText: () => {
      if (isText) attempt(() => decoder.decode());
      return isText;
    },
  };
}

let prepared: { atMs: number; done: Promise<void> } | undefined;

/** Runs once an hour and before the first file. Concurrent calls wait for it. */
function prepareDirectory(): Promise<void> {
  const nowMs = Date.now();
  if (prepared && nowMs - prepared.atMs < staleMs) return prepared.done;
  const done = makeAndSweep(nowMs);
  prepared = { atMs: nowMs, done };
  // After a failure, the next file tries again.
  done.catch(() => {
    prepared = undefined;
  });
  return done;
}

/** Opening or writing the file failed, and not reading the source. */
const isOfTarget = (error: unknown) =>
  ["open", "write"].includes((error as NodeJS.ErrnoException).syscall ?? "");

const notWritten = (error: Error) =>
  new FilesUnavailable(`uploads cannot be written to ${incomingDirectory()} (${error.message})`, {
    cause: error,
  });

/** Creates the temporary directory, and removes files that killed processes left there. */
async function makeAndSweep(nowMs: number): Promise<void> {
  const directory = incomingDirectory();
  await mkdir(directory, { recursive: true }).catch((error: Error) => {
    throw notWritten(error);
  });
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    const modifiedAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => nowMs,
    );
    if (nowMs - modifiedAt > staleMs) await rm(file, { force: true });
  }
}
