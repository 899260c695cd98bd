import type { Caller } from "./call";
import type {
  CopyAgentFromTestBody,
  CreateAgentBody,
  GetAgentQuery,
  ListAgentsQuery,
  ListAgentVersionsQuery,
  UpdateAgentBody,
} from "./generated/types";
import type { RequestOptions } from "./transport";

/** These methods write drafts, and read drafts and versions. Members publish drafts in the dashboard. */
export const agentsOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListAgentsQuery, options?: RequestOptions) =>
    list("GET /agents", { query }, options),

  create: (body: CreateAgentBody, options?: RequestOptions) =>
    call("POST /agents", { body }, options),

  /** The draft, or `{ version: "published" }`, or the version with a number. */
  get: (agentId: string, query?: GetAgentQuery, options?: RequestOptions) =>
    call("GET /agents/{agentId}", { path: { agentId }, query }, options),

  /** The published versions, newest first, without their contents. */
  versions: (agentId: string, query?: ListAgentVersionsQuery, options?: RequestOptions) =>
    list("GET /agents/{agentId}/versions", { path: { agentId }, query }, options),

  /** With a live key: copies an agent of test, or one of its versions, to a new draft in live. */
  copyFromTest: (body: CopyAgentFromTestBody, options?: RequestOptions) =>
    call("POST /agents/copy-from-test", { body }, options),

  /** Changes only the draft. The published version stays the same. */
  update: (agentId: string, body: UpdateAgentBody, options?: RequestOptions) =>
    call("PATCH /agents/{agentId}", { path: { agentId }, body }, options),

  /** Only an agent that was never published. */
  delete: (agentId: string, options?: RequestOptions) =>
    call("DELETE /agents/{agentId}", { path: { agentId } }, options),
});
