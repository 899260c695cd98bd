import type { ApiPromise, ListPromise } from "./answers";
import type { Caller } from "./call";
import type { ListEventsQuery, WebhookEvent } from "./generated/types";
import type { RequestOptions } from "./transport";

/**
 * The API's document has one shape for all events; by `type` they are those that webhooks are sent.
 */
export const eventsOf = ({ call, list }: Caller) => ({
  /** Of the last 30 days, newest first. */
  list: (query?: ListEventsQuery, options?: RequestOptions) =>
    list("GET /events", { query }, options) as ListPromise<WebhookEvent>,

  get: (eventId: string, options?: RequestOptions) =>
    call("GET /events/{eventId}", { path: { eventId } }, options) as ApiPromise<WebhookEvent>,

  /** All types of event, each with its JSON Schema and an example. */
  types: (options?: RequestOptions) => call("GET /event-types", {}, options),
});
