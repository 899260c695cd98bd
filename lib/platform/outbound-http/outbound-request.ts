import { type Dispatcher, request } from "undici";
import { exchangeErrorCode, OutboundError, type OutboundErrorCode } from "./guarded-connector";
import { withAgent } from "./outbound-agents";

export type { OutboundErrorCode } from "./guarded-connector";

/** Headers of every request to a receiver. */
export const outboundHeaders = {
  "user-agent": "Parlance-Webhooks/1.0",
  "accept-encoding": "identity",
};

/** DNS, connect, TLS, headers and body together. */
export const deadlineMs = 10_000;
const maximumResponseBytes = 16 * 1024;

export type OutboundRequest = {
  /** Connections are reused only under the same key: the webhook's id. */
  connectionKey: string;
  url: string;
  headers: Record<string, string>;
  body: string;
};

export type OutboundResult =
  | { statusCode: number; response: string; durationMs: number; retryAfterSeconds?: number }
  | { errorCode: OutboundErrorCode; durationMs: number };

/**
 * POSTs to a URL that a customer chose. Never throws. Reaches only public addresses
 * (lib/platform/outbound-http/guarded-connector.ts), follows no redirects, decompresses nothing,
 * and ignores proxy settings of the environment. Reads at most 16 KiB of the response; a longer
 * response is cut off and still counts as received.
 */
export async function outboundRequest(
  { connectionKey, url, headers, body }: OutboundRequest,
  { timeoutMs = deadlineMs }: { timeoutMs?: number } = {},
): Promise<OutboundResult> {
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    return { errorCode: "invalid_url", durationMs: 0 };

  // Not AbortSignal.timeout: its timer, and everything it references, would live until the deadline
  // even after the response arrived.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new OutboundError("timeout")), timeoutMs);
  const { signal } = deadline;
  const exchange = withAgent(connectionKey, deadlineMs, async (dispatcher) => {
    const received = await request(url, {
      dispatcher,
      method: "POST",
      headers: { ...outboundHeaders, ...headers },
      body,
      signal,
    });
    const response = await readResponse(received.body);
    return {
      statusCode: received.statusCode,
      response,
      durationMs: elapsedMs(),
      ...retryAfter(received),
    };
  });

  try {
    // While connecting, undici ignores the fired signal and keeps waiting for the connection.
    return await Promise.race([exchange, rejectionOf(signal)]);
  } catch (error) {
    return { errorCode: exchangeErrorCode(error), durationMs: elapsedMs() };
  } finally {
    clearTimeout(timer);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Uses listeners instead of iteration, which would cost more than the rest of a small response. */
function readResponse(body: Dispatcher.ResponseData["body"]): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => resolve(toText(Buffer.concat(chunks).subarray(0, maximumResponseBytes)));
    // Stays attached: cutting off a peer also emits an error, which then has no effect.
    body.on("error", reject);
    body.on("end", finish);
    body.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < maximumResponseBytes) return;
      finish();
      body.destroy();
    });
  });
}

/** Text that PostgreSQL can store: invalid UTF-8 is replaced, NUL characters are removed. */
function toText(bytes: Buffer): string {
  return bytes.length === 0 ? "" : bytes.toString("utf8").replaceAll("\0", "");
}

/** Parses seconds or a date, for the two statuses whose Retry-After asks a client to wait. */
function retryAfter({ statusCode, headers }: Dispatcher.ResponseData): {
  retryAfterSeconds?: number;
} {
  const value = headers["retry-after"];
  if ((statusCode !== 429 && statusCode !== 503) || typeof value !== "string") return {};
  const seconds = /^\d{1,15}$/.test(value.trim())
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: Math.ceil(seconds) } : {};
}
