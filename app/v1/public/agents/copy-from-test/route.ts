import { agent, copyAgentBody } from "@/lib/agents/schema";
import { copyAgentFromTest } from "@/lib/agents/service";
import { operation } from "@/lib/api/operation";

export const POST = operation({
  operationId: "copyAgentFromTest",
  summary: "Copy an agent from test to live, as a draft",
  description:
    "Needs a live key. Creates an agent with the content of the test agent's draft, or of a version. Knowledge bases are matched by name; those that live does not have are left out.",
  scope: "write:agents",
  status: 201,
  body: copyAgentBody,
  response: agent,
  problems: ["not-found"],
  run: ({ caller, body }) => copyAgentFromTest(caller, body),
});
