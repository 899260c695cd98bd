import { ApiError, ConnectionError, ParlanceError, TimeoutError } from "./errors";
import { toApiError } from "./to-api-error";
import { version } from "./version";

/** Options that a single call can override. */
export type RequestOptions = {
  /**
   * Ends the call, including its retries and waits, and the reading of an upload's stream. The call
   * then throws the signal's reason.
   */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds for each attempt, including the whole response. The stream of an upload is read
   * before the first attempt, without this limit.
   */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * For POST, PUT, PATCH and DELETE. Default: a new UUID for each call. Set your own to repeat a call
   * after a crash.
   */
  idempotencyKey?: string | undefined;
  /**
   * For `update`, `upsert` and `delete`: the `etag` of the version that you have read, or `*` for any.
   * If the resource is another version by now, the call throws a `PreconditionFailedError` and
   * changes nothing. Null, the `etag` of a response without one, is refused.
   */
  ifMatch?: string | null | undefined;
};

export type Settings = {
  apiKey: string;
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof globalThis.fetch;
  wait: Wait;
  defaultHeaders: Record<string, string>;
} & Hooks;

/** An attempt that is about to be sent. Changes to its headers are sent. */
export type SentRequest = { method: string; url: string; headers: Headers; attempt: number };

/** The result of an attempt: a response, or an error. */
export type ReceivedResponse = SentRequest & {
  durationMs: number;
  status?: number;
  requestId?: string | null;
  error?: unknown;
};

export type Hooks = {
  /** If it throws, the call throws that error, and nothing is sent. */
  onRequest?: ((request: SentRequest) => void) | undefined;
  /** What it throws is ignored, because the request was already sent. */
  onResponse?: ((response: ReceivedResponse) => void) | undefined;
};

/** Resolves after this many milliseconds, or rejects with the signal's reason. */
export type Wait = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

/**
 * A complete call, without what each attempt adds. Its body must be readable more than once, for
 * retries.
 */
export type Outgoing = {
  method: string;
  path: string;
  body?: string | FormData;
  contentType?: string;
  idempotencyKey?: string | undefined;
  ifMatch?: string;
};

export type ApiResult<Data> = {
  data: Data;
  /** The status and headers. The body has already been read into `data`. */
  response: Response;
  requestId: string | null;
  /** The version of a resource that was read or updated, for `ifMatch`. */
  etag: string | null;
};

const longestRetryAfterSeconds = 60;
const firstDelayMs = 500;
const longestDelayMs = 8_000;

/**
 * Sends a call until it succeeds, cannot succeed, or has used up its retries. All attempts have the
 * same idempotency key, so the change is made once even if a response was lost.
 */
export async function send<Data>(
  settings: Settings,
  outgoing: Outgoing,
  options: RequestOptions,
): Promise<ApiResult<Data>> {
  const { signal, timeout = settings.timeoutMs, maxRetries = settings.maxRetries } = options;
  const url = new URL(settings.baseUrl + outgoing.path);
  const init = toInit(settings, outgoing);
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted();
    try {
      return await withHooks(settings, url, init, retries + 1, () =>
        attempt<Data>(settings, url, init, timeout, signal),
      );
    } catch (error) {
      const delayMs = retries < maxRetries ? delayBeforeRetry(error, retries) : null;
      if (delayMs === null) throw error;
      await settings.wait(delayMs, signal);
    }
  }
}

async function withHooks<Data>(
  { onRequest, onResponse }: Hooks,
  url: URL,
  { method, headers }: SentInit,
  attempt: number,
  send: () => Promise<ApiResult<Data>>,
): Promise<ApiResult<Data>> {
  if (!onRequest && !onResponse) return send();
  const sent = { method, url: url.href, headers, attempt };
  onRequest?.(sent);
  const startedMs = performance.now();
  const end = (outcome: Partial<ReceivedResponse>) => {
    try {
      onResponse?.({ ...sent, durationMs: performance.now() - startedMs, ...outcome });
    } catch {
      // A log that fails must not make a change that was made look as if it was not.
    }
  };
  try {
    const result = await send();
    end({ status: result.response.status, requestId: result.requestId });
    return result;
  } catch (error) {
    const { status, requestId } = error as Partial<ApiError>;
    end({ error, ...(status !== undefined && { status, requestId: requestId ?? null }) });
    throw error;
  }
}

type SentInit = RequestInit & { method: string; headers: Headers };

export function toInit(
  { apiKey, defaultHeaders }: Settings,
  { method, body, contentType, idempotencyKey, ifMatch }: Outgoing,
): SentInit {
  const headers = new Headers(defaultHeaders);
  // Set one by one: in an object, names that differ only in case would both be sent.
  headers.set("Accept", "application/json");
  headers.set("Authorization", `Bearer ${apiKey}`);
  headers.set("User-Agent", `parlance-typescript/${version}`);
  if (contentType) headers.set("Content-Type", contentType);
  // `fetch` adds that of a form, with its boundary.
  else headers.delete("Content-Type");
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  if (ifMatch !== undefined) headers.set("If-Match", ifMatch);
  // Following a redirect could turn a POST into a GET. The API has no redirects.
  return { method, headers, redirect: "manual", ...(body !== undefined && { body }) };
}

async function attempt<Data>(
  { fetch }: Settings,
  url: URL,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ApiResult<Data>> {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  const timer = startTimer(abort, timeoutMs);
  signal?.addEventListener("abort", abort);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: deadline.signal });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    if (deadline.signal.aborted) throw new TimeoutError(timeoutMs);
    throw new ConnectionError(
      `${init.method} ${url.origin}${url.pathname} got no response: ${reasonOf(cause)}`,
      { cause },
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  const body = parseJson(text);
  // Cut off on the way: what the request did is known to the API, and the retry carries the same
  // idempotency key.
  if (response.ok && body === undefined && isJson(response)) {
    throw new ConnectionError(
      `${init.method} ${url.origin}${url.pathname} got an incomplete response: its JSON ends early.`,
    );
  }
  if (!response.ok || body === undefined) throw toApiError(response, body, text);
  return {
    data: body as Data,
    response,
    requestId: response.headers.get("x-request-id"),
    etag: response.headers.get("etag"),
  };
}

/** A timer for a longer time than about 25 days, or for Infinity, would end immediately. */
export const startTimer = (end: () => void, milliseconds: number) =>
  milliseconds < 2 ** 31 ? setTimeout(end, milliseconds) : undefined;

/** The message of Node's `fetch` is only "fetch failed". Its cause says what happened. */
export function reasonOf(thrown: unknown): string {
  const { cause, message } = thrown as {
    cause?: { code?: string; message?: string };
    message?: string;
  };
  return cause?.code ?? cause?.message ?? message ?? String(thrown);
}

const isJson = (response: Response) =>
  /^application\/([\w.+-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "");

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @returns milliseconds, or null where another attempt would be useless, or would have to wait
 * longer than a minute.
 */
export function delayBeforeRetry(error: unknown, retries: number): number | null {
  const jitter = Math.random();
  const backoffMs = Math.min(firstDelayMs * 2 ** retries, longestDelayMs) * (0.5 + jitter / 2);
  if (error instanceof ConnectionError) return backoffMs;
  if (!(error instanceof ApiError)) return null;
  const { status, kind, retryAfter } = error;
  if (status !== 408 && status !== 429 && status < 500 && kind !== "idempotency-in-progress")
    return null;
  if (retryAfter === null) return backoffMs;
  // Never before the time that was named, and not everybody at that very moment.
  return retryAfter > longestRetryAfterSeconds ? null : retryAfter * 1_000 + firstDelayMs * jitter;
}

export const wait: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });

/** `{name}` in a path becomes its value; a value that would lead to another path is refused. */
export function fillPath(path: string, values: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = values[name];
    const isAny = name === "externalId";
    if (typeof value !== "string" || !(isAny ? isSegment(value) : /^[\w-]+$/.test(value)))
      throw new ParlanceError(
        `${name} must be ${isAny ? "a text other than . and .." : "an id"}, and not ${JSON.stringify(value)}.`,
      );
    return encodeURIComponent(value);
  });
}

/** Whether a text, once encoded, is one segment of a path. A URL drops the two dot segments. */
const isSegment = (text: string): boolean => !/^\.{0,2}$/.test(text) && !/\p{Cs}/u.test(text);

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/**
 * What is undefined is left out, arrays become comma lists, dates RFC 3339. `{ metadata: { plan } }`
 * becomes `metadata[plan]`.
 */
export function toSearch(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (isPlainObject(value))
      for (const [key, inner] of Object.entries(value))
        search.set(`${name}[${key}]`, String(inner));
    else search.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = search.toString();
  return text && `?${text}`;
}
