import {
  AppError,
  bodyTooLarge,
  echo,
  invalidJson,
  invalidRequest,
  jsonRequired,
  notUtf8,
  requestTimeout,
  type ValidationIssue,
} from "@/lib/platform/errors";

/**
 * The part of a request that the pipeline reads: a `Request`, or the cheaper object that our own
 * server creates for most requests.
 */
export type ApiRequest = Pick<Request, "method" | "url" | "body"> & {
  headers: Pick<Headers, "get" | "has">;
  arrayBuffer: () => Promise<ArrayBuffer | Uint8Array>;
};

export const maximumBodyBytes = 256 * 1_024;

export type JsonBody = { bytes: Uint8Array; value: unknown };

type ReadOptions = { isOptional?: boolean; onBytes?: (bytes: Uint8Array) => void };

/**
 * Reads the body as JSON: its bytes and its value. If an optional body and its media type are both
 * missing, it is read as an empty object.
 * @param onBytes gets the bytes even if they are not JSON
 * @throws AppError `unsupported-media-type`, `payload-too-large`, `malformed-request`
 */
export async function readJsonBody(
  request: ApiRequest,
  { isOptional = false, onBytes }: ReadOptions = {},
): Promise<JsonBody> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maximumBodyBytes) throw tooLarge();
  const optional = isOptional ? await readBytes(request) : null;
  if (optional?.byteLength === 0) return { bytes: optional, value: {} };
  requireJson(request);
  const bytes = optional ?? (await readBytes(request));
  onBytes?.(bytes);
  return { bytes, value: parseJson(bytes) };
}

function requireJson(request: ApiRequest): void {
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "")
    .toLowerCase()
    .split(";");
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = !charset || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() !== "application/json" || !isUtf8) {
    throw jsonRequired();
  }
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding !== "identity") {
    throw new AppError("unsupported-media-type", "Send the body without a Content-Encoding.");
  }
}

/**
 * The body of a request to an operation that has none. It is part of the request's fingerprint for
 * idempotency. See unused-body.ts for what it may contain.
 */
export async function readUnusedBody(request: ApiRequest): Promise<Uint8Array> {
  const { headers } = request;
  if (!headers.has("transfer-encoding") && Number(headers.get("content-length") ?? 0) === 0)
    return new Uint8Array();
  if (Number(headers.get("content-length") ?? 0) > maximumBodyBytes) throw tooLarge();
  return readBytes(request);
}

/** A body without a Content-Length is counted as it arrives. */
async function readBytes(request: ApiRequest): Promise<Uint8Array> {
  if (request.headers.has("content-length")) {
    const body = await request.arrayBuffer().catch((error) => {
      throw bodyFailure(error);
    });
    return body instanceof Uint8Array ? body : new Uint8Array(body);
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bodyParts(request)) {
    length += part.byteLength;
    if (length > maximumBodyBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Yields the body as it arrives. A reader may stop early. Unlike a loop over `request.body`, this
 * does not cancel the body, because canceling would end the connection before the client gets its
 * response.
 */
export async function* bodyParts(request: ApiRequest): AsyncGenerator<Uint8Array, void, void> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  for (;;) {
    let read: ReadableStreamReadResult<Uint8Array> | undefined;
    try {
      // If the client has already disconnected, there is no body.
      reader ??= request.body?.getReader();
      read = await reader?.read();
    } catch (error) {
      throw bodyFailure(error);
    }
    if (!read || read.done) return;
    yield read.value;
  }
}

/** Node's error code for a request that arrives too slowly. server/edge uses it for late bodies. */
export const lateCode = "ERR_HTTP_REQUEST_TIMEOUT";

/** A body that ends early is an error of the client, not of the service. */
export function bodyFailure(error: unknown): AppError {
  if ((error as { code?: unknown } | null)?.code === lateCode) return requestTimeout();
  return new AppError(
    "malformed-request",
    "The request body is incomplete.",
    {},
    { Connection: "close" },
  );
}

const tooLarge = () => bodyTooLarge(maximumBodyBytes);

const decoder = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw notUtf8("The body");
  }
  if (text.trim() === "")
    throw new AppError("malformed-request", "The body is empty. Send a JSON object.");
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    throw invalidJson(position === undefined ? undefined : Number(position) + 1);
  }
}

/** One step of a JSON Pointer, at most 100 characters of what was sent. */
export const escapePointer = (part: PropertyKey) =>
  echo(String(part)).replaceAll("~", "~0").replaceAll("/", "~1");

/** `URLSearchParams` would silently replace invalid UTF-8. */
function requireUtf8(search: string): void {
  try {
    decodeURIComponent(search);
  } catch {
    throw new AppError("malformed-request", "The query is not valid percent-encoded UTF-8.");
  }
}

/** `metadata[plan]=gold`: a filter by a key that the client chose. */
const metadataParameter = /^metadata\[(.+)\]$/s;

export type Query = Record<string, string | Record<string, string>>;

/**
 * The query as an object of strings. Parameters such as `metadata[plan]` become one object,
 * `metadata`.
 * @throws AppError `validation` for a repeated parameter
 */
export function readQuery(search: string): Query {
  const query: Query = Object.create(null);
  if (search === "") return query;
  requireUtf8(search);
  const repeated: ValidationIssue[] = [];
  const seen = new Set<string>();
  const metadata: [key: string, value: string][] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (seen.has(name)) {
      repeated.push({
        pointer: `/${escapePointer(name)}`,
        location: "query",
        code: "repeated",
        predicate: "must not be repeated",
      });
    }
    seen.add(name);
    const [, key] = metadataParameter.exec(name) ?? [];
    if (key === undefined) query[name] = value;
    else metadata.push([key, value]);
  }
  // Unlike an assignment, this keeps a key `__proto__`, which is then refused. So is `metadata=…`
  // beside a `metadata[key]`.
  if (metadata.length > 0) query.metadata ??= Object.fromEntries(metadata);
  if (repeated.length > 0) throw invalidRequest(repeated);
  return query;
}
