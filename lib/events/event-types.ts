/** Every type of event there is. */
export const eventTypes = [
  "conversation.created",
  "conversation.updated",
  "conversation.status_changed",
  "message.received",
  "message.sent",
  "customer.created",
  "customer.updated",
  "agent.created",
  "agent.updated",
  "agent.published",
  "knowledge_base.created",
  "document.created",
  "document.ready",
  "document.failed",
  "document.deleted",
  "webhook.disabled",
  "webhook.test",
] as const;

export type EventType = (typeof eventTypes)[number];

const families = [...new Set(eventTypes.map((type) => type.split(".")[0]))].map(
  (family) => `${family}.*` as const,
);

/** What a webhook may subscribe to: a type, all types of one family, or everything. */
export const eventPatterns: readonly string[] = ["*", ...families, ...eventTypes];
