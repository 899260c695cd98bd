import { operation } from "@/lib/api/operation";
import {
  createKnowledgeBaseBody,
  knowledgeBase,
  knowledgeBasePage,
  listKnowledgeBasesQuery,
} from "@/lib/knowledge/bases/schema";
import { createKnowledgeBase, listKnowledgeBases } from "@/lib/knowledge/bases/service";

export const GET = operation({
  operationId: "listKnowledgeBases",
  summary: "List knowledge bases, newest first",
  scope: "read:knowledge",
  mayReadReplica: true,
  query: listKnowledgeBasesQuery,
  response: knowledgeBasePage,
  run: ({ caller, query }) => listKnowledgeBases(caller, query),
});

export const POST = operation({
  operationId: "createKnowledgeBase",
  summary: "Create a knowledge base",
  scope: "write:knowledge",
  status: 201,
  body: createKnowledgeBaseBody,
  response: knowledgeBase,
  problems: ["conflict"],
  run: ({ caller, body }) => createKnowledgeBase(caller, body),
});
