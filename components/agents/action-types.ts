import type { Agent, UpdateAgent } from "@/lib/agents/schema";
import type { ActionResult } from "@/lib/platform/action-result";

// What a page's actions are to the components that call them. `seen` is the `updatedAt` of the
// draft that the person has before their eyes: what is decided on another draft is refused, with a
// finding of the field `updatedAt`.

export type CreateAgent = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type SaveDraft = (seen: string, patch: UpdateAgent) => Promise<ActionResult<Agent>>;
export type DecideOnDraft = (seen: string) => Promise<ActionResult>;
export type ArchiveAgent = () => Promise<ActionResult>;
