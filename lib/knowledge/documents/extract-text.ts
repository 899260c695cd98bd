import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ContentType } from "./content-type";
import { exitCodes, maximumCharacters } from "./extraction/outcome.mjs";
import { extractionDirectory, startSandboxed } from "./sandbox";
import type { DocumentErrorCode } from "./schema";

/** Limits for reading one file. */
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
    // If it exits before it has read everything, its exit code says why.
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

function rethrowUnlessClosed(error: NodeJS.ErrnoException): void {
  if (
    error.code !== "EPIPE" &&
    error.code !== "ECONNRESET" &&
    error.code !== "ERR_STREAM_PREMATURE_CLOSE"
  )
    throw error;
}
