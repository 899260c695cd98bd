import { agent, agentPage, createAgentBody, listAgentsQuery } from "@/lib/agents/schema";
import { createAgent, listAgents } from "@/lib/agents/service";
import { operation } from "@/lib/api/operation";

export const GET = operation({
  operationId: "listAgents",
  summary: "List agents, newest first",
  description: "Each agent is shown as its current draft, whether or not it is published.",
  scope: "read:agents",
  mayReadReplica: true,
  query: listAgentsQuery,
  response: agentPage,
  run: ({ caller, query }) => listAgents(caller, query),
});

export const POST = operation({
  operationId: "createAgent",
  summary: "Create an agent as a draft",
  description:
    "An agent is a configuration that your own program reads. Parlance does not run a model. Only a member can publish an agent, in the dashboard.",
  scope: "write:agents",
  status: 201,
  body: createAgentBody,
  response: agent,
  problems: ["not-found"],
  run: ({ caller, body }) => createAgent(caller, body),
});
