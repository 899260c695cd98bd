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
 * @throws ParlanceError if it is not a file, has no name, or is too large
 */
export async function toForm({ file, name, metadata }: UploadFileBody): Promise<FormData> {
  const fileName = name ?? nameOf(file);
  const blob = await toBlob(file);
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

async function toBlob(file: FileSource): Promise<Blob> {
  if (file instanceof Blob) return file;
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return blobOf([file]);
  if (file instanceof Response) {
    if (!file.ok)
      throw new ParlanceError(
        `The file could not be fetched: ${file.url || "the response"} has status ${file.status}.`,
      );
    return file.body ? collect(file.body) : blobOf([]);
  }
  if (isStream(file)) return collect(file);
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

async function collect(stream: ReadableStream<Uint8Array> | AsyncIterable<Chunk>): Promise<Blob> {
  const chunks: Chunk[] = [];
  let size = 0;
  for await (const chunk of Symbol.asyncIterator in stream ? stream : read(stream)) {
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
  return blobOf(chunks);
}

/** For runtimes whose streams are not yet async iterables. */
async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

const blobOf = (parts: Chunk[]) => new Blob(parts as BlobPart[]);
