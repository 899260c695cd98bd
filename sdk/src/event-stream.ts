import { ConnectionError, LimitReachedError, ParlanceError, TimeoutError } from "./errors";
import type { StreamEventsQuery, WebhookEvent } from "./generated/types";
import { toApiError } from "./to-api-error";
import {
  delayBeforeRetry,
  parseJson,
  type RequestOptions,
  reasonOf,
  type Settings,
  startTimer,
  toInit,
  toSearch,
} from "./transport";

/** `timeout` is for the response to begin, and `maxRetries` for the first connection. */
export type StreamOptions = Omit<RequestOptions, "idempotencyKey"> & {
  /** Called each time the stream is connected. No event from the first time on is missed. */
  onOpen?: (() => void) | undefined;
};

/** The server sends something every 15 s. A connection that is silent for longer is broken. */
const longestSilenceMs = 45_000;
const maximumCharacters = 2 ** 24;

/**
 * All events from the cursor on, each once and in order. Once it was connected, it reconnects until
 * it is aborted or refused.
 */
export async function* followStream(
  settings: Settings,
  query: StreamEventsQuery,
  options: StreamOptions,
): AsyncGenerator<WebhookEvent, never, undefined> {
  const { signal, maxRetries = settings.maxRetries, onOpen } = options;
  let lastId: string | undefined;
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    let failure: unknown = new ConnectionError("The stream ended.");
    let isOpen = false;
    try {
      for await (const { id, data } of connect(settings, query, { ...options, lastId })) {
        failures = 0;
        // The server first sends where the stream begins.
        if (!isOpen) onOpen?.();
        isOpen = true;
        const event: unknown = data === undefined ? undefined : parseJson(data);
        if (data !== undefined && !event) throw new ConnectionError("An event is not JSON.");
        lastId = id ?? lastId;
        // Events that arrived together may still be waiting when the signal is aborted.
        signal?.throwIfAborted();
        if (event) yield event as WebhookEvent;
      }
    } catch (error) {
      failure = error;
    }
    signal?.throwIfAborted();
    const wasConnected = lastId !== undefined;
    // The server may not have noticed yet that an earlier connection of this stream is gone.
    const isTemporary = wasConnected && failure instanceof LimitReachedError;
    const delayMs = delayBeforeRetry(isTemporary ? new ConnectionError() : failure, failures);
    if (delayMs === null || (!wasConnected && failures >= maxRetries)) throw failure;
    await settings.wait(delayMs, signal);
  }
}

type Connection = StreamOptions & { lastId: string | undefined };

/** One connection, until it ends. */
async function* connect(
  settings: Settings,
  query: StreamEventsQuery,
  { lastId, signal, timeout = settings.timeoutMs }: Connection,
) {
  const connection = new AbortController();
  const abort = () => connection.abort();
  async function within<Value>(timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
    const timer = startTimer(abort, timeoutMs);
    try {
      return await work();
    } catch (cause) {
      if (connection.signal.aborted) throw new TimeoutError(timeoutMs);
      throw new ConnectionError(`The stream was cut off: ${reasonOf(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
  const path = `/v1/public/events/stream${toSearch(query)}`;
  const init = toInit(settings, { method: "GET", path });
  const headers = new Headers(init.headers);
  headers.set("Accept", "text/event-stream");
  if (lastId !== undefined) headers.set("Last-Event-ID", lastId);
  signal?.addEventListener("abort", abort);
  try {
    const url = new URL(settings.baseUrl + path);
    const response = await within(timeout, () =>
      settings.fetch(url, { ...init, headers, signal: connection.signal }),
    );
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    if (!response.ok || !isStream || !response.body) {
      const text = await within(timeout, () => response.text());
      throw toApiError(response, parseJson(text), text);
    }

    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await within(longestSilenceMs, () => reader.read());
      if (done) return;
      text += decoder.decode(value, { stream: true });
      // What follows the last empty line is incomplete.
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      if (text.length > maximumCharacters) throw new ParlanceError("An event is too long.");
      for (const message of messages)
        yield { id: fieldOf("id", message), data: fieldOf("data", message) };
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    abort();
  }
}

const fieldOf = (name: string, message: string): string | undefined =>
  message
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
