import {
  changeOf,
  type EventDeclarations,
  eventAbout,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { type Document, document } from "./schema";

const uploaded: Document = {
  id: "doc_01KFE5A1N0V3M9C8S6X4B2Z7QT",
  knowledgeBaseId: "kb_01KFE4ZWF0R8T5G2J9N3P7K6WC",
  name: "returns.md",
  contentType: "text/markdown",
  sizeBytes: 2_048,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "PENDING",
  error: null,
  characterCount: null,
  chunkCount: null,
  metadata: {},
  createdAt: exampleTimes.created,
  updatedAt: exampleTimes.created,
};

const ready: Document = {
  ...uploaded,
  status: "READY",
  characterCount: 2_011,
  chunkCount: 3,
  updatedAt: exampleTimes.changed,
};

const failed: Document = {
  ...uploaded,
  name: "returns.pdf",
  contentType: "application/pdf",
  status: "FAILED",
  error: { code: "encrypted", message: "The file is protected by a password." },
  updatedAt: exampleTimes.changed,
};

export const documentEvents: EventDeclarations<"document"> = {
  "document.created": eventAbout(document, {
    description: "A document was uploaded and is waiting to be processed.",
    triggers: [
      "`POST /knowledge-bases/{knowledgeBaseId}/documents`, or an upload in the dashboard.",
      "`document.ready` or `document.failed` follows when the document has been processed.",
    ],
    example: { timestamp: exampleTimes.created, request: exampleRequest, object: uploaded },
  }),
  "document.updated": changeOf(document, {
    description: "Fields of a document changed, its file was replaced, or it is processed again.",
    triggers: [
      "`PATCH /knowledge-bases/{knowledgeBaseId}/documents/{documentId}`, or the dashboard.",
      "`PUT …/documents/{documentId}` and `POST …/documents/{documentId}/retry`. `document.ready` or `document.failed` follows.",
      "A change to the values that the document already has raises nothing.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { ...ready, name: "returns-2026.md" },
      previousAttributes: { name: "returns.md" },
    },
  }),
  "document.ready": eventAbout(document, {
    description: "A document was processed. Searches now find it.",
    triggers: [
      "The background work has extracted and indexed the text of a document. `request` is null.",
    ],
    example: { timestamp: exampleTimes.changed, request: null, object: ready },
  }),
  "document.failed": eventAbout(document, {
    description: "A document could not be processed. Its `error` says why.",
    triggers: [
      "The text of a document could not be extracted. `error.code` says why, for example `encrypted` or `empty`. `request` is null.",
      "A document that is processed again can raise it again, or `document.ready`.",
    ],
    example: { timestamp: exampleTimes.changed, request: null, object: failed },
  }),
  "document.deleted": eventAbout(document, {
    description: "A document was deleted. The object is its last state.",
    triggers: [
      "`DELETE /knowledge-bases/{knowledgeBaseId}/documents/{documentId}`, or the dashboard.",
    ],
    example: { timestamp: exampleTimes.changed, request: exampleRequest, object: ready },
  }),
};
