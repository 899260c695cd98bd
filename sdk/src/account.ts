import type { Caller } from "./call";
import type { GetUsageQuery } from "./generated/types";
import type { RequestOptions } from "./transport";

export const accountOf = ({ call }: Caller) => ({
  /** The tenant, and the key that this client uses. */
  get: (options?: RequestOptions) => call("GET /account", {}, options),
});

export const usageOf = ({ call }: Caller) => ({
  /** In total and by day. Default: the current month. */
  get: (query?: GetUsageQuery, options?: RequestOptions) => call("GET /usage", { query }, options),
});
