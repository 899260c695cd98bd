import type { Caller } from "./call";
import type { ListEventsQuery, WebhookEvent } from "./generated/types";
import type { ApiPromise, ListPromise } from "./responses";
import type { RequestOptions } from "./transport";

/**
 * The OpenAPI document has one schema for all events. By `type`, they are the events that webhooks
 * receive.
 */
export const eventsOf = ({ call, list }: Caller) => ({
  /** The events of the last 30 days, newest first. */
  list: (query?: ListEventsQuery, options?: RequestOptions) =>
    list("GET /events", { query }, options) as ListPromise<WebhookEvent>,

  get: (eventId: string, options?: RequestOptions) =>
    call("GET /events/{eventId}", { path: { eventId } }, options) as ApiPromise<WebhookEvent>,

  /** All event types, each with its JSON Schema and an example. */
  types: (options?: RequestOptions) => call("GET /event-types", {}, options),
});
