import type { Caller } from "./call";
import type { ListRequestLogsQuery } from "./generated/types";
import type { RequestOptions } from "./transport";

export const requestLogsOf = ({ call, list }: Caller) => ({
  /**
   * Newest first. A key that has every `read:` scope lists the requests of all keys, and any other
   * key its own.
   */
  list: (query?: ListRequestLogsQuery, options?: RequestOptions) =>
    list("GET /request-logs", { query }, options),

  /** With both bodies, in which secrets are masked. */
  get: (requestId: string, options?: RequestOptions) =>
    call("GET /request-logs/{requestId}", { path: { requestId } }, options),
});
