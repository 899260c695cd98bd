import { operation } from "@/lib/api/operation";
import { knowledgeHits, searchKnowledgeBody } from "@/lib/knowledge/documents/schema";
import { searchKnowledge } from "@/lib/knowledge/documents/search";

export const POST = operation({
  operationId: "searchKnowledge",
  summary: "Search several knowledge bases",
  description:
    "Returns the parts of documents that fit best, as plain text. Words match in every form that they have in the language of the knowledge base.",
  scope: "read:knowledge",
  mayReadReplica: true,
  changesNothing: true,
  body: searchKnowledgeBody,
  response: knowledgeHits,
  problems: ["not-found"],
  run: ({ caller, body }) => searchKnowledge(caller, body),
});
