import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import { addDeadline, removeDeadline } from "./deadlines";
import { exchangeErrorCode, type OutboundErrorCode } from "./guarded-connector";
import { outboundPool, returnClient, takeClient } from "./outbound-pools";
import { storableHeaders } from "./response-headers";

export type { OutboundErrorCode } from "./guarded-connector";

/**
 * Names and values in turn. Objects with a dozen such names, merged for each request, would be a
 * tenth of all memory that the worker allocates.
 */
export type HeaderList = readonly string[];

/** Headers of every request to a receiver. */
export const outboundHeaders: HeaderList = [
  ...["user-agent", "Parlance-Webhooks/1.0"],
  ...["accept-encoding", "identity"],
];

/** DNS, connect, TLS, headers and body together. */
export const deadlineMs = 10_000;
/** How much of a response is read, unless the request says otherwise. */
export const maximumResponseBytes = 16 * 1024;

export type OutboundRequest = {
  /** Connections are reused only under the same key: the webhook's id. */
  connectionKey: string;
  url: string;
  headers: HeaderList;
  body: string;
  /** How much of the response to read. */
  maximumBytes?: number;
};

export type OutboundResult =
  | {
      statusCode: number;
      response: string;
      /** Set if some bytes were not UTF-8, and U+FFFD is in their place. */
      isBroken?: true;
      durationMs: number;
      retryAfterSeconds?: number;
      /** Only of a response that is not a success. */
      responseHeaders?: Record<string, string>;
    }
  | { errorCode: OutboundErrorCode; durationMs: number };

/**
 * POSTs to a URL that a customer chose. Never throws. Reaches only public addresses
 * (lib/platform/outbound-http/guarded-connector.ts), follows no redirects, decompresses nothing,
 * and ignores proxy settings of the environment. Reads at most `maximumBytes` of the response, 16 KiB
 * by default; a longer response is cut off and still counts as received.
 */
export function outboundRequest(
  { connectionKey, url, headers, body, maximumBytes = maximumResponseBytes }: OutboundRequest,
  { timeoutMs = deadlineMs }: { timeoutMs?: number } = {},
): Promise<OutboundResult> {
  const pool = outboundPool(connectionKey, url, deadlineMs);
  if (!pool) return Promise.resolve({ errorCode: "invalid_url", durationMs: 0 });
  return new Promise((resolve) => {
    const client = takeClient(pool);
    const end = (result: OutboundResult, isReusable: boolean) => {
      returnClient(pool, client, isReusable);
      resolve(result);
    };
    client.dispatch(
      { path: pool.path, method: "POST", headers: [...outboundHeaders, ...headers], body },
      receiveResponse({ timeoutMs, maximumBytes }, end),
    );
  });
}

/**
 * A custom handler, because undici's `request` creates a stream, an abort signal and listeners for
 * each response, which costs more than sending the request.
 * @param end called once; the connection is reusable after a complete response
 */
function receiveResponse(
  { timeoutMs, maximumBytes }: { timeoutMs: number; maximumBytes: number },
  end: (result: OutboundResult, isReusable: boolean) => void,
): Dispatcher.DispatchHandler {
  const startedAtMs = performance.now();
  const deadline = { expiresAtMs: startedAtMs + timeoutMs, expire: () => fail("timeout") };
  addDeadline(deadline);
  const chunks: Buffer[] = [];
  let length = 0;
  let head:
    | Pick<
        Extract<OutboundResult, { statusCode: number }>,
        "statusCode" | "retryAfterSeconds" | "responseHeaders"
      >
    | undefined;
  let hasEnded = false;

  function stop(): number {
    hasEnded = true;
    removeDeadline(deadline);
    return Math.round(performance.now() - startedAtMs);
  }

  function succeed({ isComplete }: { isComplete: boolean }): void {
    if (hasEnded || !head) return;
    const bytes = firstBytes(chunks, maximumBytes);
    const response = toText(bytes);
    end(
      { ...head, response, ...(isBroken(response, bytes) && broken), durationMs: stop() },
      isComplete,
    );
  }

  function fail(errorCode: OutboundErrorCode): void {
    if (!hasEnded) end({ errorCode, durationMs: stop() }, false);
  }

  return {
    onRequestStart() {},
    onResponseStart(_controller, statusCode, headers) {
      // An informational response precedes the actual one.
      if (statusCode < 200) return;
      head =
        statusCode < 300
          ? { statusCode }
          : {
              statusCode,
              ...retryAfter(statusCode, headers),
              responseHeaders: storableHeaders(headers),
            };
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maximumBytes) succeed({ isComplete: false });
    },
    onResponseEnd: () => succeed({ isComplete: true }),
    onResponseError: (_controller, error) => fail(exchangeErrorCode(error)),
  };
}

const nothing = Buffer.alloc(0);
const broken = { isBroken: true } as const;

function firstBytes([first = nothing, ...others]: Buffer[], maximumBytes: number): Buffer {
  const bytes = others.length === 0 ? first : Buffer.concat([first, ...others]);
  return bytes.subarray(0, maximumBytes);
}

/** Text that PostgreSQL can store: invalid UTF-8 is replaced, NUL characters are removed. */
const toText = (bytes: Buffer): string => bytes.toString("utf8").replaceAll("\0", "");

const isBroken = (text: string, bytes: Buffer): boolean =>
  text.includes("\uFFFD") && !isUtf8(bytes);

/** Parses seconds or a date, for the two statuses whose Retry-After asks a client to wait. */
function retryAfter(
  statusCode: number,
  headers: Record<string, string | string[] | undefined>,
): { retryAfterSeconds?: number } {
  if (statusCode !== 429 && statusCode !== 503) return {};
  const value = headers["retry-after"];
  if (typeof value !== "string") return {};
  const seconds = /^\d{1,15}$/.test(value.trim())
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: Math.ceil(seconds) } : {};
}
