import { operation } from "@/lib/api/operation";
import { knowledgeBaseParams } from "@/lib/knowledge/bases/schema";
import { documentUploadFormat } from "@/lib/knowledge/documents/document-upload";
import {
  document,
  documentFields,
  documentPage,
  listDocumentsQuery,
} from "@/lib/knowledge/documents/schema";
import { createDocument, listDocuments } from "@/lib/knowledge/documents/service";

export const GET = operation({
  operationId: "listDocuments",
  summary: "List a knowledge base's documents, newest first",
  scope: "read:knowledge",
  mayReadReplica: true,
  params: knowledgeBaseParams,
  query: listDocumentsQuery,
  response: documentPage,
  run: ({ caller, params, query }) => listDocuments(caller, params.knowledgeBaseId, query),
});

export const POST = operation({
  operationId: "createDocument",
  summary: "Upload a document",
  description:
    "Send a file as `multipart/form-data` (txt, md, html, csv, json, pdf or docx, at most 20 MiB), or text as JSON. The document is `PENDING` until its text has been read; then it is `READY`, or `FAILED` with the reason.",
  scope: "write:knowledge",
  status: 201,
  params: knowledgeBaseParams,
  body: documentFields,
  upload: documentUploadFormat,
  response: document,
  problems: ["conflict", "limit-reached"],
  run: ({ caller, params, body, file }) =>
    createDocument(caller, params.knowledgeBaseId, body, file),
});
