import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { Busboy } from "@fastify/busboy";
import type { z } from "zod";
import { type IncomingFile, receiveFile, tooLarge } from "@/lib/blobs/incoming-file";
import { AppError, type ValidationIssue } from "@/lib/errors";
import { maximumBodyBytes, readJsonBody } from "./read-request";

/** What a route file says of an operation that takes a file: as `multipart/form-data`, or as text in a JSON body. */
export type Upload<Json extends z.ZodType = z.ZodType> = {
  maximumBytes: number;
  /** Of the form's fields, those whose text is JSON. The form's schema is the operation's `body`. */
  jsonFields: readonly string[];
  /** The schema of a JSON body: the form's fields and the text. */
  json: Json;
  textField: string;
  /** The file's content type. Throws `unsupported-media-type` where its content is not wanted. */
  detectContentType: (file: IncomingFile, name: string) => Promise<string>;
};

/** A file that has arrived, and what came beside it. */
export type ReceivedUpload = {
  /** What makes two uploads the same one: fields and content, whatever the boundary between them. */
  bytes: Uint8Array;
  value: unknown;
  schema: z.ZodType | undefined;
  issues: ValidationIssue[];
  file: { incoming: IncomingFile; contentType: string } | null;
};

const multipart = /^multipart\/form-data\s*;/i;
const limits = { fields: 10, fieldNameSize: 100, fieldSize: 64 * 1_024, parts: 12, headerPairs: 20, headerSize: 8 * 1_024 };

type ReadOptions = { formSchema: z.ZodType | undefined; onBytes: (bytes: Uint8Array) => void };

/** @throws AppError `unsupported-media-type`, `payload-too-large`, `malformed-request`. Nothing is left where it throws. */
export async function readUpload(request: Request, upload: Upload, options: ReadOptions): Promise<ReceivedUpload> {
  const isForm = multipart.test(request.headers.get("content-type") ?? "");
  return isForm ? readForm(request, upload, options) : readText(request, upload, options);
}

async function readText(request: Request, upload: Upload, { onBytes }: ReadOptions): Promise<ReceivedUpload> {
  const { bytes, value } = await readJsonBody(request, { onBytes });
  const received = { bytes, value, schema: upload.json, issues: [] };
  const { [upload.textField]: text, name } = (value ?? {}) as Record<string, unknown>;
  // What is no text, or no name, validation refuses.
  if (typeof name !== "string" || typeof text !== "string" || text.includes("\0") || !text.isWellFormed())
    return { ...received, file: null };
  const incoming = await receiveFile(Readable.from([Buffer.from(text)]), upload.maximumBytes);
  const contentType = await orDiscard(incoming, upload.detectContentType(incoming, name));
  return { ...received, file: { incoming, contentType } };
}

async function readForm(request: Request, upload: Upload, { formSchema: schema, onBytes }: ReadOptions): Promise<ReceivedUpload> {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding !== "identity") throw new AppError("unsupported-media-type", "Send the body without a Content-Encoding.");
  if (Number(request.headers.get("content-length") ?? 0) > upload.maximumBytes + maximumBodyBytes) {
    await drain(request, 2 * upload.maximumBytes);
    throw tooLarge(upload.maximumBytes);
  }

  const { fields, issues, received } = await parseForm(request, upload.maximumBytes);
  const sent = Object.fromEntries(fields.map(([name, text]) => [name, upload.jsonFields.includes(name) ? parsedWhereJson(text) : text]));
  const identity = {
    fields: fields.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    name: received?.name,
    sha256: received?.incoming.sha256.toString("hex"),
  };
  const bytes = Buffer.from(JSON.stringify(identity));
  onBytes(bytes);
  if (!received) return { bytes, value: sent, schema, issues, file: null };

  const { incoming, name } = received;
  const value = name ? { name, ...sent } : sent;
  const contentType = await orDiscard(incoming, upload.detectContentType(incoming, name ?? String(sent.name ?? "")));
  return { bytes, value, schema, issues, file: { incoming, contentType } };
}

type Form = { fields: [string, string][]; issues: ValidationIssue[]; received: { incoming: IncomingFile; name: string | null } | null };

/** The form's fields, and its one file, written to the temporary place as it comes. */
async function parseForm(request: Request, maximumBytes: number): Promise<Form> {
  const fields = new Map<string, string>();
  const issues: ValidationIssue[] = [];
  const refuse = (field: string, code: string, message: string) =>
    void issues.push({ pointer: `/${field}`, location: "body", code, message: `${field}: ${message}` });
  const parser = openParser(request.headers.get("content-type") ?? "");
  const stopping = new AbortController();
  let receiving: Promise<IncomingFile> | null = null;
  let failure: unknown;
  let name: string | null = null;

  parser.on("field", (field, text, isNameCut, isTextCut) => {
    if (field === "file") refuse(field, "invalid_type", "is a part with a file name");
    else if (fields.has(field)) refuse(field, "repeated", "is given more than once");
    else if (isNameCut || isTextCut) refuse(field, "too_big", "is too long");
    fields.set(field, text);
  });
  parser.on("file", (field, stream, fileName) => {
    if (field !== "file" || receiving) {
      refuse(field, field === "file" ? "repeated" : "unknown_field", field === "file" ? "is given more than once" : "is not known here");
      stream.resume();
      return;
    }
    name = fileName?.trim() || null;
    stopping.signal.addEventListener("abort", () => stream.destroy(new Error("the upload has ended")));
    receiving = receiveFile(stream, maximumBytes);
    receiving.catch((error) => {
      // Where it is why the rest is not read, and not the other way round.
      if (!stopping.signal.aborted) failure = error;
      stopping.abort();
    });
  });
  for (const limit of ["partsLimit", "fieldsLimit"] as const) parser.on(limit, () => refuse("", "too_many", "There are too many parts"));

  const body = Readable.fromWeb((request.body ?? new Blob().stream()) as ReadableStream);
  const isComplete = await pipeline(body, parser as Writable, { signal: stopping.signal }).then(
    () => true,
    () => false,
  );
  if (!isComplete) stopping.abort();
  const incoming = await (receiving as Promise<IncomingFile> | null)?.catch(() => null);
  if (!isComplete || failure) {
    await incoming?.discard();
    throw failure ?? new AppError("malformed-request", "The body is no complete multipart/form-data.", {}, { Connection: "close" });
  }
  if (!incoming && !issues.some(({ pointer }) => pointer === "/file")) refuse("file", "required", "a file is required");
  fields.delete("file");
  return { fields: [...fields], issues, received: incoming ? { incoming, name } : null };
}

/** Many clients send all of a body before they look for the answer, and see none where the connection ends under them. */
async function drain(request: Request, maximumBytes: number): Promise<void> {
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maximumBytes) return;
  }
}

function openParser(contentType: string) {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits });
  } catch {
    throw new AppError("malformed-request", "The Content-Type names no boundary between the parts.");
  }
}

/** What is no JSON stays text, for the schema to refuse. */
function parsedWhereJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function orDiscard<Result>(incoming: IncomingFile, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    await incoming.discard();
    throw error;
  }
}
