/** What is to become of deliveries that were held, when their webhook is enabled. */
export const backlogChoices = ["RESUME", "DISCARD", "KEEP"] as const;
export type BacklogChoice = (typeof backlogChoices)[number];

/**
 * What waits or is held is counted so far and no further, so that asking costs the same however
 * much there is.
 */
export const mostCounted = 10_000;
