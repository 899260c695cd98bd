import { agent, agentParams, updateAgentBody } from "@/lib/agents/schema";
import { getAgent, updateAgent } from "@/lib/agents/service";
import { operation } from "@/lib/api/operation";

export const GET = operation({
  operationId: "getAgent",
  summary: "Get an agent, as its draft stands",
  description:
    "While `hasUnpublishedChanges` is false, that is the published version as well. Otherwise the last `agent.published` event holds it.",
  scope: "read:agents",
  params: agentParams,
  response: agent,
  run: ({ caller, params }) => getAgent(caller, params.agentId),
});

export const PATCH = operation({
  operationId: "updateAgent",
  summary: "Change an agent's draft",
  description:
    "The published version stays as it is until a person publishes the draft in the dashboard.",
  scope: "write:agents",
  params: agentParams,
  body: updateAgentBody,
  response: agent,
  problems: ["agent-archived"],
  run: ({ caller, params, body }) => updateAgent(caller, params.agentId, body),
});
