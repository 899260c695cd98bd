import { operation } from "@/lib/api/operation";
import { replaceDocument, updateDocument } from "@/lib/knowledge/documents/change-document";
import { replacementUploadFormat } from "@/lib/knowledge/documents/document-upload";
import {
  document,
  documentParams,
  replaceDocumentFields,
  updateDocumentBody,
} from "@/lib/knowledge/documents/schema";
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

export const PUT = operation({
  operationId: "replaceDocument",
  summary: "Replace a document",
  description:
    "Send the new file as `multipart/form-data`, or text as JSON. The document has the same id and the new file's name, and is processed again. A search finds the earlier text until the new one is `READY`, and also if the new file cannot be read.",
  scope: "write:knowledge",
  params: documentParams,
  body: replaceDocumentFields,
  upload: replacementUploadFormat,
  response: document,
  versionOf: document,
  problems: ["conflict", "limit-reached"],
  run: ({ caller, params, body, file }) =>
    replaceDocument(caller, params.knowledgeBaseId, params.documentId, body, file),
});

export const PATCH = operation({
  operationId: "updateDocument",
  summary: "Rename a document, or change its metadata",
  scope: "write:knowledge",
  params: documentParams,
  body: updateDocumentBody,
  response: document,
  versionOf: document,
  run: ({ caller, params, body }) =>
    updateDocument(caller, params.knowledgeBaseId, params.documentId, body),
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
