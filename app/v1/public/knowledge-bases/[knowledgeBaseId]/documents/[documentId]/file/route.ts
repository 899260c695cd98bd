import { operation } from "@/lib/api/operation";
import { documentFile, documentParams } from "@/lib/knowledge/documents/schema";
import { getDocumentFile } from "@/lib/knowledge/documents/service";

export const GET = operation({
  operationId: "getDocumentFile",
  summary: "Get a document's file, with a new link to download it",
  scope: "read:knowledge",
  params: documentParams,
  response: documentFile,
  withoutLinks: (found) => ({ ...found, url: null, urlExpiresAt: null }),
  run: ({ caller, params }) => getDocumentFile(caller, params.knowledgeBaseId, params.documentId),
});
