import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ContentType } from "./content-type";
import { exitCodes, maximumCharacters } from "./extraction/outcome.mjs";
import { extractionDirectory, startSandboxed } from "./sandbox";
import type { DocumentErrorCode } from "./schema";

/** What one file may cost. */
const defaultLimits = { timeMs: 60_000, heapMegabytes: 384, memoryMegabytes: 768 };

type Limits = typeof defaultLimits;

/** A file that cannot be read, whoever tries. */
export class ExtractionError extends Error {
  constructor(readonly code: DocumentErrorCode) {
    super(code);
  }
}

type Options = { signal?: AbortSignal | undefined; limits?: Partial<Limits> };

/**
 * The text in a file. A process of its own reads it, which can read packages and nothing else,
 * reaches no network, knows no secret, and is ended when it takes too much memory or time: a
 * hostile file ends with that process.
 * @throws ExtractionError, or the signal's reason
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
  const isTooLate = AbortSignal.timeout(limits.timeMs);
  const stop = () => child.kill("SIGKILL");
  const stopping = signal ? AbortSignal.any([signal, isTooLate]) : isTooLate;
  stopping.addEventListener("abort", stop);
  try {
    const exit = new Promise<number | null>((resolve, reject) =>
      child.once("error", reject).once("close", resolve),
    );
    // Where it ends before it has read all, its exit code says why.
    const [exitCode, text] = await Promise.all([
      exit,
      readText(child.stdout, stop),
      pipeline(file, child.stdin).catch(rethrowUnlessClosed),
    ]);
    signal?.throwIfAborted();
    if (exitCode === exitCodes.ready && text !== null) return text;
    throw new ExtractionError(isTooLate.aborted ? "timeout" : errorCodeOf(exitCode));
  } finally {
    stopping.removeEventListener("abort", stop);
    stop();
  }
}

const codes = new Map<number | null, DocumentErrorCode>(
  (["empty", "encrypted", "invalid_file", "too_large"] as const).map((code) => [
    exitCodes[code],
    code,
  ]),
);

/** A process that did not end by itself was ended for want of memory. */
const errorCodeOf = (exitCode: number | null): DocumentErrorCode =>
  codes.get(exitCode) ?? "too_large";

/** @returns null where it is longer than any text of a file may be */
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

function rethrowUnlessClosed(error: NodeJS.ErrnoException): void {
  if (
    error.code !== "EPIPE" &&
    error.code !== "ECONNRESET" &&
    error.code !== "ERR_STREAM_PREMATURE_CLOSE"
  )
    throw error;
}
