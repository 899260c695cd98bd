import { operation } from "@/lib/api/operation";
import {
  knowledgeBase,
  knowledgeBaseParams,
  updateKnowledgeBaseBody,
} from "@/lib/knowledge/bases/schema";
import {
  deleteKnowledgeBase,
  getKnowledgeBase,
  updateKnowledgeBase,
} from "@/lib/knowledge/bases/service";
import { deleted } from "@/lib/resources/id-schema";

export const GET = operation({
  operationId: "getKnowledgeBase",
  summary: "Get a knowledge base",
  scope: "read:knowledge",
  params: knowledgeBaseParams,
  response: knowledgeBase,
  run: ({ caller, params }) => getKnowledgeBase(caller, params.knowledgeBaseId),
});

export const PATCH = operation({
  operationId: "updateKnowledgeBase",
  summary: "Change a knowledge base",
  description:
    "Changes its name, description and metadata. To change the language, create a knowledge base in the new one and upload the documents to it.",
  scope: "write:knowledge",
  params: knowledgeBaseParams,
  body: updateKnowledgeBaseBody,
  response: knowledgeBase,
  versionOf: knowledgeBase,
  problems: ["conflict"],
  run: ({ caller, params, body }) => updateKnowledgeBase(caller, params.knowledgeBaseId, body),
});

export const DELETE = operation({
  operationId: "deleteKnowledgeBase",
  summary: "Delete a knowledge base and its documents",
  description:
    "The knowledge base and its documents are gone immediately, however many there are. Their files are removed in the background. Agents that refer to it keep its id.",
  scope: "write:knowledge",
  params: knowledgeBaseParams,
  response: deleted("knowledgeBase"),
  versionOf: knowledgeBase,
  run: ({ caller, params }) => deleteKnowledgeBase(caller, params.knowledgeBaseId),
});
