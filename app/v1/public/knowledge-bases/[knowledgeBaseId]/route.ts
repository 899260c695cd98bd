import { operation } from "@/lib/api/operation";
import { knowledgeBase, knowledgeBaseParams } from "@/lib/knowledge/bases/schema";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";

export const GET = operation({
  operationId: "getKnowledgeBase",
  summary: "Get a knowledge base",
  scope: "read:knowledge",
  params: knowledgeBaseParams,
  response: knowledgeBase,
  run: ({ caller, params }) => getKnowledgeBase(caller, params.knowledgeBaseId),
});
