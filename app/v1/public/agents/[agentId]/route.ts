import { agent, agentParams, updateAgentBody } from "@/lib/agents/schema";
import { getAgent, updateAgent } from "@/lib/agents/service";
import { operation } from "@/lib/api/operation";

export const GET = operation({
  operationId: "getAgent",
  summary: "Get an agent's draft",
  description:
    "If `hasUnpublishedChanges` is false, the draft equals the published version. Otherwise the last `agent.published` event has the published version.",
  scope: "read:agents",
  params: agentParams,
  response: agent,
  run: ({ caller, params }) => getAgent(caller, params.agentId),
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
