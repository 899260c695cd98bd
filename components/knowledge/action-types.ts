import type { ActionResult } from "@/lib/platform/action-result";

// What a page's actions are to the components that call them.

export type CreateKnowledgeBase = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type RetryDocument = () => Promise<ActionResult>;
export type DeleteDocument = () => Promise<ActionResult>;
