import { Readable } from "node:stream";
import type { z } from "zod";
import { type IncomingFile, receiveFile, tooLarge } from "@/lib/platform/blobs/incoming-file";
import { AppError, type ValidationIssue } from "@/lib/platform/errors";
import { parseForm } from "./parse-form";
import { type ApiRequest, maximumBodyBytes, readJsonBody } from "./read-request";

/**
 * What a route file declares about an operation that accepts a file: as `multipart/form-data`, or
 * as text in a JSON body.
 */
export type Upload<Json extends z.ZodType = z.ZodType> = {
  maximumBytes: number;
  /**
   * The form's fields whose value is JSON. The form's schema is the operation's `body`.
   */
  jsonFields: readonly string[];
  /** The schema of a JSON body: the form's fields and the text. */
  json: Json;
  textField: string;
  /** The file's content type. Throws `unsupported-media-type` for other types. */
  detectContentType: (file: IncomingFile, name: string) => Promise<string>;
};

/** A received file and the fields next to it. */
export type ReceivedUpload = {
  /**
   * Identifies the upload for idempotency: its fields and content, without the boundary between
   * them.
   */
  bytes: Uint8Array;
  value: unknown;
  schema: z.ZodType | undefined;
  issues: ValidationIssue[];
  file: { incoming: IncomingFile; contentType: string } | null;
};

export const multipart = /^multipart\/form-data\s*(;|$)/i;
const json = /^application\/json\s*(;|$)/i;

type ReadOptions = { formSchema: z.ZodType | undefined; onBytes: (bytes: Uint8Array) => void };

/**
 * Reads a file and its fields. Removes the temporary file before it throws.
 * @throws AppError `unsupported-media-type`, `payload-too-large`, `malformed-request`
 */
export async function readUpload(
  request: ApiRequest,
  upload: Upload,
  options: ReadOptions,
): Promise<ReceivedUpload> {
  const contentType = request.headers.get("content-type") ?? "";
  if (multipart.test(contentType)) return readForm(request, upload, options);
  if (json.test(contentType)) return readText(request, upload, options);
  throw new AppError(
    "unsupported-media-type",
    `Send the file as \`multipart/form-data\`, or its text as \`application/json\` with \`name\` and \`${upload.textField}\`.`,
  );
}

async function readText(
  request: ApiRequest,
  upload: Upload,
  { onBytes }: ReadOptions,
): Promise<ReceivedUpload> {
  const { bytes, value } = await readJsonBody(request, { onBytes });
  const received = { bytes, value, schema: upload.json, issues: [] };
  const { [upload.textField]: text, name } = (value ?? {}) as Record<string, unknown>;
  // If the name or the text is invalid, there is no file. Validation then reports what is wrong.
  if (
    typeof name !== "string" ||
    typeof text !== "string" ||
    text.includes("\0") ||
    !text.isWellFormed()
  )
    return { ...received, file: null };
  const incoming = await receiveFile(Readable.from([Buffer.from(text)]), upload.maximumBytes);
  const contentType = await orDiscard(incoming, upload.detectContentType(incoming, name));
  return { ...received, file: { incoming, contentType } };
}

async function readForm(
  request: ApiRequest,
  upload: Upload,
  { formSchema: schema, onBytes }: ReadOptions,
): Promise<ReceivedUpload> {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding !== "identity")
    throw new AppError("unsupported-media-type", "Send the body without a Content-Encoding.");
  if (Number(request.headers.get("content-length") ?? 0) > upload.maximumBytes + maximumBodyBytes)
    throw tooLarge(upload.maximumBytes);

  const { fields, issues, received } = await parseForm(request, upload.maximumBytes);
  const sent = Object.fromEntries(
    fields.map(([name, text]) => [
      name,
      upload.jsonFields.includes(name) ? parsedWhereJson(text) : text,
    ]),
  );
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
  const contentType = await orDiscard(
    incoming,
    upload.detectContentType(incoming, name ?? String(sent.name ?? "")),
  );
  return { bytes, value, schema, issues, file: { incoming, contentType } };
}

/** Invalid JSON stays a string, which the schema then refuses. */
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
