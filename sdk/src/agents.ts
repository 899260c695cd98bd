import type { Caller } from "./call";
import type { CreateAgentBody, ListAgentsQuery, UpdateAgentBody } from "./generated/types";
import type { RequestOptions } from "./transport";

/** These methods read and write drafts. Members publish them in the dashboard. */
export const agentsOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListAgentsQuery, options?: RequestOptions) =>
    list("GET /agents", { query }, options),

  create: (body: CreateAgentBody, options?: RequestOptions) =>
    call("POST /agents", { body }, options),

  get: (agentId: string, options?: RequestOptions) =>
    call("GET /agents/{agentId}", { path: { agentId } }, options),

  /** Changes only the draft. The published version stays the same. */
  update: (agentId: string, body: UpdateAgentBody, options?: RequestOptions) =>
    call("PATCH /agents/{agentId}", { path: { agentId }, body }, options),
});
