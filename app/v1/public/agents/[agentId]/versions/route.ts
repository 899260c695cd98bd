import { agentParams, agentVersionPage, listVersionsQuery } from "@/lib/agents/schema";
import { listPublishedVersions } from "@/lib/agents/versions";
import { operation } from "@/lib/api/operation";

export const GET = operation({
  operationId: "listAgentVersions",
  summary: "List an agent's published versions, newest first",
  scope: "read:agents",
  mayReadReplica: true,
  params: agentParams,
  query: listVersionsQuery,
  response: agentVersionPage,
  run: ({ caller, params, query }) => listPublishedVersions(caller, params.agentId, query),
});
