/** What happens to held deliveries when their webhook is enabled. */
export const backlogChoices = ["RESUME", "DISCARD", "KEEP"] as const;
export type BacklogChoice = (typeof backlogChoices)[number];

/**
 * Recovered and resumed deliveries of one webhook are spread over time at this rate, however many
 * there are.
 */
export const recoveredPerSecond = 50;

/**
 * Waiting and held deliveries are counted up to this number, so that the count costs the same
 * however many there are.
 */
export const maximumCounted = 10_000;
