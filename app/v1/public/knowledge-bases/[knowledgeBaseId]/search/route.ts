import { operation } from "@/lib/api/operation";
import { searchQuery, searchResults } from "@/lib/documents/schema";
import { searchDocuments } from "@/lib/documents/service";
import { knowledgeBaseParams } from "@/lib/knowledge-bases/schema";

export const GET = operation({
  operationId: "searchKnowledgeBase",
  summary: "Search the documents of a knowledge base",
  description:
    "Full text, the best document first. Every word has to occur, in the form that is asked for: `lamp` does not find “lamps”. `lamp or lamps` finds either.",
  scope: "read:knowledge",
  params: knowledgeBaseParams,
  query: searchQuery,
  response: searchResults,
  run: ({ caller, params, query }) => searchDocuments(caller, params.knowledgeBaseId, query),
});
