import type { Caller } from "./call";
import type { StreamOptions } from "./event-stream";
import type { ListEventsQuery, StreamEventsQuery, WebhookEvent } from "./generated/types";
import type { ApiPromise, ListPromise } from "./responses";
import type { RequestOptions } from "./transport";

/**
 * The OpenAPI document has one schema for all events. By `type`, they are the events that webhooks
 * receive.
 */
export const eventsOf = ({ call, list, stream }: Caller) => ({
  /** The events of the last 30 days, newest first. */
  list: (query?: ListEventsQuery, options?: RequestOptions) =>
    list("GET /events", { query }, options) as ListPromise<WebhookEvent>,

  get: (eventId: string, options?: RequestOptions) =>
    call("GET /events/{eventId}", { path: { eventId } }, options) as ApiPromise<WebhookEvent>,

  /**
   * Events as they happen, for `for await`: each once and in order, from now on or after `cursor`.
   * It reconnects after the last event that you received. It ends when you leave the loop, with
   * the reason of `signal`, or with the error if the API refuses it, for example because the key
   * was revoked.
   */
  stream: (query?: StreamEventsQuery, options?: StreamOptions) => stream(query, options),

  /** All event types, each with its JSON Schema and an example. */
  types: (options?: RequestOptions) => call("GET /event-types", {}, options),
});
