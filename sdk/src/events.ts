import type { ListPromise } from "./answers";
import type { Caller } from "./call";
import type { ListEventsQuery, WebhookEvent } from "./generated/types";
import type { RequestOptions } from "./transport";

export const eventsOf = ({ list }: Caller) => ({
  /** Of the last 30 days, newest first; `type` tells what `data.object` is. */
  list: (query?: ListEventsQuery, options?: RequestOptions) => list("GET /events", { query }, options) as ListPromise<WebhookEvent>,
});
