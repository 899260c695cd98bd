import { agent, agentParams, getAgentQuery, updateAgentBody } from "@/lib/agents/schema";
import { deleteAgent, getAgent, updateAgent } from "@/lib/agents/service";
import { operation } from "@/lib/api/operation";
import { deleted } from "@/lib/resources/id-schema";

export const GET = operation({
  operationId: "getAgent",
  summary: "Get an agent's draft or one of its versions",
  description:
    "A program that replies uses `version=published`: members change that version only on purpose, by publishing the draft.",
  scope: "read:agents",
  params: agentParams,
  query: getAgentQuery,
  response: agent,
  run: ({ caller, params, query }) => getAgent(caller, params.agentId, query.version),
});

export const PATCH = operation({
  operationId: "updateAgent",
  summary: "Change an agent's draft",
  description:
    "The published version does not change until a member publishes the draft in the dashboard.",
  scope: "write:agents",
  params: agentParams,
  body: updateAgentBody,
  response: agent,
  versionOf: agent,
  problems: ["agent-archived"],
  run: ({ caller, params, body }) => updateAgent(caller, params.agentId, body),
});

export const DELETE = operation({
  operationId: "deleteAgent",
  summary: "Delete an agent that was never published",
  description:
    "An agent that was published can be archived in the dashboard instead, because its versions stay readable.",
  scope: "write:agents",
  params: agentParams,
  response: deleted("agent"),
  versionOf: agent,
  problems: ["invalid-transition", "in-use"],
  run: ({ caller, params }) => deleteAgent(caller, params.agentId),
});
