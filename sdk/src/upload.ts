import { ParlanceError } from "./errors";
import type { Metadata } from "./generated/types";

type Chunk = string | ArrayBuffer | ArrayBufferView;

/**
 * Anything that contains a file's bytes, such as a `Buffer` or a Node.js stream. It cannot be a
 * path: open the file first.
 */
export type FileSource =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Chunk>;

/**
 * A file of at most 20 MiB. A document is a txt, md, html, csv, json, pdf or docx file. `name` is
 * optional for a `File` and for `fs.createReadStream`.
 */
export type UploadFileBody = { file: FileSource; name?: string; metadata?: Metadata };

const maximumBytes = 20 * 1024 * 1024;

/**
 * The form of an upload. A `Blob` is passed on and read as it is sent, once for each attempt. A
 * stream can be read only once, so it is first read into memory, up to the largest size that the
 * API accepts.
 * @throws ParlanceError if it is not a file, has no name, or is too large; after an abort, the
 * signal's reason
 */
export async function toForm(
  { file, name, metadata }: UploadFileBody,
  signal?: AbortSignal,
): Promise<FormData> {
  const fileName = name ?? nameOf(file);
  const blob = await toBlob(file, signal);
  if (!fileName)
    throw new ParlanceError('The file has no name. Pass one, for example name: "returns.pdf".');
  const form = new FormData();
  form.set("name", fileName);
  if (metadata) form.set("metadata", JSON.stringify(metadata));
  form.set("file", blob, fileName);
  return form;
}

/** A `File` has a name, and a stream of Node's `fs` has a path. */
function nameOf(file: FileSource): string | undefined {
  const { name, path } = file as { name?: unknown; path?: unknown };
  if (typeof name === "string") return name;
  return typeof path === "string" ? path.split(/[/\\]/).at(-1) : undefined;
}

async function toBlob(file: FileSource, signal: AbortSignal | undefined): Promise<Blob> {
  if (file instanceof Blob) return file;
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return blobOf([file]);
  if (file instanceof Response) {
    if (!file.ok)
      throw new ParlanceError(
        `The file could not be fetched: ${file.url || "the response"} has status ${file.status}.`,
      );
    return file.body ? collect(file.body, signal) : blobOf([]);
  }
  if (isStream(file)) return collect(file, signal);
  const given = typeof file === "string" ? "a string" : file === null ? "null" : typeof file;
  throw new ParlanceError(
    `file must be a Blob, a Buffer, bytes, a stream, an async iterable or a Response, and not ${given}. ` +
      "To upload a file by its path, pass await openAsBlob(path) from node:fs; to upload text, pass { name, text }.",
  );
}

function isStream(file: unknown): file is ReadableStream<Uint8Array> | AsyncIterable<Chunk> {
  if (typeof file !== "object" || file === null) return false;
  return (
    Symbol.asyncIterator in file ||
    typeof (file as { getReader?: unknown }).getReader === "function"
  );
}

/** An abort ends it immediately, even if the stream never ends its current read. */
function collect(
  stream: ReadableStream<Uint8Array> | AsyncIterable<Chunk>,
  signal: AbortSignal | undefined,
): Promise<Blob> {
  const source = open(stream);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(error);
      source.cancel().catch(() => {});
    };
    const abort = () => fail(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    readAll(source, signal)
      .then(resolve, fail)
      .finally(() => signal?.removeEventListener("abort", abort));
  });
}

type Source = {
  next(): Promise<{ done?: boolean | undefined; value?: Chunk | undefined }>;
  /** May take forever: an async generator first ends its current read. */
  cancel(): Promise<unknown>;
};

/**
 * Web streams have a reader in every runtime, and Node.js streams can be destroyed. The iterators of
 * both cannot be cancelled during a read.
 */
function open(stream: ReadableStream<Uint8Array> | AsyncIterable<Chunk>): Source {
  if ("getReader" in stream) {
    const reader = stream.getReader();
    return { next: () => reader.read(), cancel: () => reader.cancel() };
  }
  const iterator = stream[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    cancel: async () => {
      (stream as { destroy?: () => void }).destroy?.();
      await iterator.return?.();
    },
  };
}

async function readAll(source: Source, signal: AbortSignal | undefined): Promise<Blob> {
  const chunks: Chunk[] = [];
  let size = 0;
  for (;;) {
    const { done, value: chunk } = await source.next();
    signal?.throwIfAborted();
    if (done) return blobOf(chunks);
    if (
      typeof chunk !== "string" &&
      !(chunk instanceof ArrayBuffer) &&
      !ArrayBuffer.isView(chunk)
    ) {
      throw new ParlanceError(
        `The file's stream must consist of bytes or text, not of type ${typeof chunk}.`,
      );
    }
    size += typeof chunk === "string" ? chunk.length : chunk.byteLength;
    if (size > maximumBytes)
      throw new ParlanceError("The file is larger than 20 MiB, the limit of the API.");
    chunks.push(chunk);
  }
}

const blobOf = (parts: Chunk[]) => new Blob(parts as BlobPart[]);
