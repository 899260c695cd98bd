/** Conditions that join rows `a` and `b`, both given as aliases in the statement. */

export const samePartition = (a: string, b: string) =>
  `${a}.tenant_id = ${b}.tenant_id AND ${a}.environment = ${b}.environment`;

/** Both belong to one webhook. */
export const sameWebhook = (a: string, b: string) =>
  `${samePartition(a, b)} AND ${a}.webhook_id = ${b}.webhook_id`;

/** They are the same delivery. */
export const sameDelivery = (a: string, b: string) => `${sameWebhook(a, b)} AND ${a}.id = ${b}.id`;

/** The webhook `w` that `row` belongs to. */
export const isWebhookOf = (w: string, row: string) =>
  `${samePartition(w, row)} AND ${w}.id = ${row}.webhook_id`;
