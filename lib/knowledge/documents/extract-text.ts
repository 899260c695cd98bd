import path from "node:path";
import type { Readable, Writable } from "node:stream";
import type { ContentType } from "./content-type";
import { exitCodes, maximumCharacters } from "./extraction/outcome.mjs";
import { extractionDirectory, startSandboxed } from "./sandbox";
import type { DocumentErrorCode } from "./schema";

/** Limits for reading one file. The time starts once the process has received the whole file. */
const defaultLimits = { timeMs: 60_000, heapMegabytes: 384, memoryMegabytes: 768 };

type Limits = typeof defaultLimits;

/** A file that cannot be read, no matter how often it is tried. */
export class ExtractionError extends Error {
  constructor(readonly code: DocumentErrorCode) {
    super(code);
  }
}

type Options = { signal?: AbortSignal | undefined; limits?: Partial<Limits> };

/**
 * Extracts the text of a file, in a separate process. That process can read only packages, has no
 * network and no secrets, and is killed when it takes too much memory or time, so a hostile file
 * harms only that process.
 * @throws ExtractionError, the signal's reason, or the error of the stream, which says nothing about
 * the file
 */
export async function extractText(
  file: Readable,
  contentType: ContentType,
  options: Options = {},
): Promise<string> {
  const { signal } = options;
  const limits = { ...defaultLimits, ...options.limits };
  if (signal?.aborted) file.destroy();
  signal?.throwIfAborted();
  const child = startSandboxed([path.join(extractionDirectory, "main.mjs"), contentType], limits);
  const stop = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", stop);
  let isTooLate = false;
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    timer = setTimeout(() => {
      isTooLate = true;
      stop();
    }, limits.timeMs);
  };
  try {
    const exit = new Promise<number | null>((resolve, reject) =>
      child.once("error", reject).once("close", resolve),
    );
    const [exitCode, text] = await Promise.all([
      exit,
      readText(child.stdout, stop),
      feed(file, child.stdin).then(startTimer),
    ]);
    signal?.throwIfAborted();
    if (exitCode === exitCodes.ready && text !== null) return text;
    throw new ExtractionError(isTooLate ? "timeout" : errorCodeOf(exitCode));
  } finally {
    signal?.removeEventListener("abort", stop);
    clearTimeout(timer);
    stop();
  }
}

const codes = new Map<number | null, DocumentErrorCode>(
  (["empty", "encrypted", "invalid_file", "too_large"] as const).map((code) => [
    exitCodes[code],
    code,
  ]),
);

/** A process that did not exit by itself was killed for using too much memory. */
const errorCodeOf = (exitCode: number | null): DocumentErrorCode =>
  codes.get(exitCode) ?? "too_large";

/** @returns null if it is longer than the text of a file may be */
async function readText(stdout: Readable, stop: () => void): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length <= maximumCharacters) continue;
    stop();
    return null;
  }
  return text + decoder.decode();
}

/**
 * Passes the file on. If the process exits before it has read everything, its exit code says why,
 * so that is not an error here.
 * @throws the error of the file: what the process has received then is incomplete
 */
async function feed(file: Readable, stdin: Writable): Promise<void> {
  let hasExited = false;
  const closed = new Promise<void>((resolve) => stdin.once("close", resolve)).then(() => {
    if (stdin.writableFinished) return;
    hasExited = true;
    file.destroy();
  });
  const drained = () => new Promise((resolve) => stdin.once("drain", resolve));
  stdin.on("error", () => {});
  try {
    for await (const chunk of file)
      if (!stdin.write(chunk)) await Promise.race([drained(), closed]);
  } catch (error) {
    if (!hasExited) throw error;
  }
  stdin.end();
}
