import type { Caller } from "./call";
import type { ListEventsQuery } from "./generated/types";
import type { RequestOptions } from "./transport";

export const eventsOf = ({ list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListEventsQuery, options?: RequestOptions) => list("GET /events", { query }, options),
});
