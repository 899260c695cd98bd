import type { ActionResult } from "@/lib/platform/action-result";

// The actions of a page, as its components call them.

export type CreateKnowledgeBase = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type RetryDocument = () => Promise<ActionResult>;
export type DeleteDocument = () => Promise<ActionResult>;
