import type { Caller } from "./call";
import type { ListMembersQuery } from "./generated/types";
import type { RequestOptions } from "./transport";

export const membersOf = ({ list }: Caller) => ({
  /** The members that conversations can be assigned to, by the `id` in `assigneeId`. */
  list: (query?: ListMembersQuery, options?: RequestOptions) =>
    list("GET /members", { query }, options),
});
