import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import { type IncomingFile, receiveFile, tooLarge } from "@/lib/platform/blobs/incoming-file";
import { AppError, echo, notUtf8, type ValidationIssue } from "@/lib/platform/errors";
import { type ApiRequest, bodyParts, escapePointer, maximumBodyBytes } from "./read-request";

const maximumFieldBytes = 64 * 1_024;
const maximumParts = 12;
const limits = { fieldNameSize: 100, parts: maximumParts, headerPairs: 20, headerSize: 8 * 1_024 };

type Form = {
  fields: [string, string][];
  issues: ValidationIssue[];
  received: { incoming: IncomingFile; name: string | null } | null;
};

/** The form's fields and its one file, which is written to a temporary file as it arrives. */
export async function parseForm(request: ApiRequest, maximumBytes: number): Promise<Form> {
  const fields = new Map<string, string>();
  const issues: ValidationIssue[] = [];
  const refuse = (field: string, code: string, predicate: string) =>
    void issues.push({ pointer: `/${escapePointer(field)}`, location: "body", code, predicate });
  const parser = openParser(request.headers.get("content-type") ?? "");
  const stopping = new AbortController();
  const reading: Promise<unknown>[] = [];
  let receiving: Promise<IncomingFile> | null = null;
  let failure: unknown;
  let malformed: AppError | undefined;
  let name: string | null = null;

  /** Reads one part. If that fails, stops reading the request. */
  function read<Result>(stream: Readable, start: () => Promise<Result>): Promise<Result> {
    let sourceError: unknown;
    stream.once("error", (error) => {
      sourceError = error;
    });
    stopping.signal.addEventListener("abort", () =>
      stream.destroy(new Error("the upload has ended")),
    );
    const result = start();
    reading.push(
      result.catch((error) => {
        // An error of the stream itself comes from the request, and is reported there.
        if (error !== sourceError && !stopping.signal.aborted) failure = error;
        stopping.abort();
      }),
    );
    return result;
  }

  // Every part arrives as bytes, because the parser would silently replace invalid UTF-8.
  parser.on("file", (field, stream, fileName, _encoding, contentType) => {
    const isFile = fileName !== undefined || contentType === "application/octet-stream";
    const isRepeated = fields.has(field) || (isFile && receiving !== null);
    if (isRepeated) refuse(field, "repeated", "must not be repeated");
    else if (isFile && field !== "file")
      refuse(field, "unknown_field", "is not a known file; name the field `file`");
    else if (!isFile && field === "file")
      refuse(field, "invalid_type", "must be a file: send the part with a file name");
    else if (isFile) {
      // The parser has decoded the name already, with U+FFFD in place of invalid UTF-8.
      if (fileName?.includes("\uFFFD")) malformed ??= notUtf8("The file name");
      name = fileName || null;
      receiving = read(stream, () => receiveFile(stream, maximumBytes));
      return;
    } else {
      fields.set(field, "");
      void read(stream, async () => {
        const bytes = await firstBytes(stream, maximumFieldBytes + 1);
        if (bytes.length > maximumFieldBytes)
          refuse(field, "too_big", `must have at most ${maximumFieldBytes / 1_024} KiB`);
        else if (isUtf8(bytes)) fields.set(field, bytes.toString());
        else malformed ??= notUtf8(`The field ${echo(field)}`);
      });
      return;
    }
    stream.resume();
  });
  parser.on("partsLimit", () =>
    issues.push({
      pointer: "",
      location: "body",
      code: "too_many",
      predicate: `must have at most ${maximumParts} parts`,
    }),
  );

  stopping.signal.addEventListener("abort", () => parser.destroy());
  try {
    await feed(request, parser, maximumBytes);
  } catch (error) {
    stopping.abort();
    malformed ??= error instanceof AppError ? error : incomplete();
  }
  await Promise.all(reading);
  const incoming = await (receiving as Promise<IncomingFile> | null)?.catch(() => null);
  if (failure || malformed) {
    await incoming?.discard();
    throw failure ?? malformed;
  }
  if (!incoming && !issues.some(({ pointer }) => pointer === "/file"))
    refuse("file", "required", "is required");
  return { fields: [...fields], issues, received: incoming ? { incoming, name } : null };
}

/**
 * Reads at least the first `maximumBytes` of a stream, or all of a shorter one. The rest is
 * skipped.
 */
async function firstBytes(stream: Readable, maximumBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    if (length < maximumBytes) parts.push(part);
    length += part.length;
  }
  return Buffer.concat(parts);
}

/** Passes the body to the parser as it arrives, until it is complete or the parser is destroyed. */
async function feed(
  request: ApiRequest,
  parser: ReturnType<typeof openParser>,
  maximumBytes: number,
): Promise<void> {
  const parsed = finished(parser as Writable, { readable: false });
  parsed.catch(() => {});
  let bytes = 0;
  for await (const part of bodyParts(request)) {
    bytes += part.byteLength;
    if (bytes > maximumBytes + maximumBodyBytes) throw tooLarge(maximumBytes);
    if (parser.destroyed) break;
    if (!parser.write(part)) await Promise.race([once(parser, "drain"), parsed]);
  }
  if (!parser.destroyed) parser.end();
  await parsed;
}

const incomplete = () =>
  new AppError(
    "malformed-request",
    "The multipart/form-data body is incomplete.",
    {},
    { Connection: "close" },
  );

function openParser(contentType: string) {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits,
      isPartAFile: () => true,
    });
  } catch {
    throw new AppError(
      "malformed-request",
      "The Content-Type must have the boundary between the parts: multipart/form-data; boundary=…",
    );
  }
}
