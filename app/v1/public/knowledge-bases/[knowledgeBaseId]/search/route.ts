import { operation } from "@/lib/api/operation";
import { knowledgeBaseParams } from "@/lib/knowledge/bases/schema";
import { searchQuery, searchResults } from "@/lib/knowledge/documents/schema";
import { searchDocuments } from "@/lib/knowledge/documents/search";

export const GET = operation({
  operationId: "searchKnowledgeBase",
  summary: "Search the documents of a knowledge base",
  description:
    "Full-text search, best document first. Every word must occur, in any form that it has in the language of the knowledge base. Without a language, `lamp` does not find “lamps”, but `lamp or lamps` finds both.",
  scope: "read:knowledge",
  mayReadReplica: true,
  params: knowledgeBaseParams,
  query: searchQuery,
  response: searchResults,
  run: ({ caller, params, query }) => searchDocuments(caller, params.knowledgeBaseId, query),
});
