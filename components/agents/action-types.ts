import type { Agent, UpdateAgent } from "@/lib/agents/schema";
import type { ActionResult } from "@/lib/platform/action-result";

// The actions of a page, as its components call them. `seen` is the `updatedAt` of the draft that
// the user sees. If the draft has changed since then, the action is rejected with an error for the
// field `updatedAt`.

export type CreateAgent = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type SaveDraft = (seen: string, patch: UpdateAgent) => Promise<ActionResult<Agent>>;
export type DraftAction = (seen: string) => Promise<ActionResult>;
export type ArchiveAgent = () => Promise<ActionResult>;
