import type { UpdateKnowledgeBase } from "@/lib/knowledge/bases/schema";
import type { UpdateDocument as DocumentPatch } from "@/lib/knowledge/documents/schema";
import type { ActionResult } from "@/lib/platform/action-result";

// The actions of a page, as its components call them.

export type CreateKnowledgeBase = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type UpdateKnowledgeBaseAction = (patch: UpdateKnowledgeBase) => Promise<ActionResult>;
export type UpdateDocumentAction = (patch: DocumentPatch) => Promise<ActionResult>;
export type RetryDocument = () => Promise<ActionResult>;
export type DeleteDocument = () => Promise<ActionResult>;
