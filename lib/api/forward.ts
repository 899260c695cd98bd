import { Readable } from "node:stream";
import { type Dispatcher, request as send } from "undici";
import { AppError, repeatedIdempotencyKey, unavailable } from "@/lib/platform/errors";
import { logOf } from "@/lib/platform/log";
import type { EventStream } from "./event-stream";
import type { Outgoing, Wire } from "./pipeline";
import { type ApiRequest, bodyParts } from "./read-request";

const log = logOf("api");

/** Set on a forwarded request, with the number of installations that it passed. */
const hopsHeader = "x-parlance-forwarded";
const maximumHops = 3;
/** More than any operation takes, except a stream. */
const headersTimeoutMs = 60_000;

/** What operations read. Everything else belongs to the connection or to this installation. */
const requestHeaders = [
  "accept",
  "accept-encoding",
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "traceparent",
  "tracestate",
  "user-agent",
  "x-forwarded-proto",
];

const connectionHeaders = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
]);

/**
 * Sends a request to the installation that the key's organization was moved to, and its response back
 * as it is. Clients continue with the address and the keys that they have. The other installation
 * checks the key, counts the request and logs it.
 * @throws AppError `unavailable` if there is no response; the outcome is then unknown
 */
export async function forward(
  request: ApiRequest,
  origin: string,
  { address, wire }: { address: string | null; wire: Wire },
): Promise<Outgoing> {
  // The headers would arrive as one.
  if (wire.hasRepeatedIdempotencyKey) throw repeatedIdempotencyKey();
  // A client can send the header, too. Anything but a small number ends here.
  const hops = Number(request.headers.get(hopsHeader) ?? 0) + 1;
  if (!(hops >= 1 && hops <= maximumHops))
    throw new AppError("unavailable", "The organization's installation was not found.");
  const headers: Record<string, string> = { [hopsHeader]: String(hops) };
  for (const name of requestHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const earlier = request.headers.get("x-forwarded-for") ?? address;
  if (earlier) headers["x-forwarded-for"] = earlier;
  const { pathname, search } = new URL(request.url);
  const abort = new AbortController();
  try {
    const response = await send(`${origin}${pathname}${search}`, {
      method: request.method as Dispatcher.HttpMethod,
      headers,
      body: await bodyOf(request),
      headersTimeout: headersTimeoutMs,
      bodyTimeout: headersTimeoutMs,
      signal: abort.signal,
    });
    const returned = headersOf(response.headers);
    const { statusCode: status } = response;
    if (returned["content-type"]?.startsWith("text/event-stream"))
      return { status, headers: returned, body: streamOf(response.body, abort) };
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    return { status, headers: returned, body: bytes.byteLength > 0 ? bytes : null };
  } catch (error) {
    if (error instanceof AppError) throw error;
    log.warn({ origin, error: (error as Error).message }, "a request could not be forwarded");
    throw unavailable();
  }
}

/** Uploads are passed on as they arrive. */
async function bodyOf(request: ApiRequest): Promise<Uint8Array | Readable | null> {
  if (request.method === "GET" || request.method === "HEAD") return null;
  if (request.body) return Readable.from(bodyParts(request), { objectMode: false });
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.byteLength > 0 ? bytes : null;
}

function headersOf(received: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || connectionHeaders.has(name)) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

/** Ends with the other installation's stream, without the comment that says why. */
function streamOf(body: Readable, abort: AbortController): EventStream {
  body.setEncoding("utf8");
  const parts = body[Symbol.asyncIterator]() as AsyncIterator<string>;
  const close = () => abort.abort();
  return {
    read: () =>
      parts.next().then(
        ({ done, value }) => (done ? null : value),
        () => null,
      ),
    end: close,
    cancel: close,
    signal: new AbortController().signal,
  };
}
