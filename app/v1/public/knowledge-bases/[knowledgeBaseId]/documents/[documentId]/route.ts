import { operation } from "@/lib/api/operation";
import { document, documentParams } from "@/lib/knowledge/documents/schema";
import { deleteDocument, getDocument } from "@/lib/knowledge/documents/service";
import { deleted } from "@/lib/resources/id-schema";

export const GET = operation({
  operationId: "getDocument",
  summary: "Get a document",
  scope: "read:knowledge",
  params: documentParams,
  response: document,
  run: ({ caller, params }) => getDocument(caller, params.knowledgeBaseId, params.documentId),
});

export const DELETE = operation({
  operationId: "deleteDocument",
  summary: "Delete a document, its text and its file",
  scope: "write:knowledge",
  params: documentParams,
  response: deleted("document"),
  versionOf: document,
  run: ({ caller, params }) => deleteDocument(caller, params.knowledgeBaseId, params.documentId),
});
