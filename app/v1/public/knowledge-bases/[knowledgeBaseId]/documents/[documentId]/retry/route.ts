import { operation } from "@/lib/api/operation";
import { retryDocument } from "@/lib/knowledge/documents/change-document";
import { document, documentParams } from "@/lib/knowledge/documents/schema";

export const POST = operation({
  operationId: "retryDocument",
  summary: "Process a failed document again",
  description:
    "Its file is stored, so nothing is uploaded. A document that waits or is being processed stays as it is.",
  scope: "write:knowledge",
  status: 202,
  params: documentParams,
  response: document,
  versionOf: document,
  problems: ["invalid-transition"],
  run: ({ caller, params }) => retryDocument(caller, params.knowledgeBaseId, params.documentId),
});
