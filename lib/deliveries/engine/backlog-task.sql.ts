import type { References } from "@/lib/platform/sql";

/** The parameters that say which task of a webhook's backlog a statement processes. */
export const taskId = { tenantId: "text", environment: "Environment", id: "text" } as const;

export const isTask = (task: string, p: References<typeof taskId>) =>
  `${task}.tenant_id = ${p.tenantId} AND ${task}.environment = ${p.environment} AND ${task}.id = ${p.id}`;
