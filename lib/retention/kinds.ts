/** What an environment can store for fewer days than usual, with the bounds. Without zod: the form loads it. */
export const retentionKinds = {
  conversations: { minimum: 1, maximum: 3_650 },
  events: { minimum: 1, maximum: 30 },
  requestLogs: { minimum: 1, maximum: 30 },
  // The last automatic attempt is made less than two days after the event.
  attempts: { minimum: 2, maximum: 30 },
} as const;

export type RetentionKind = keyof typeof retentionKinds;
