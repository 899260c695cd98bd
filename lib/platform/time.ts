let source: (() => Date) | null = null;

/** The current time, for the times that rows store and are compared with. Tests can set it. */
export const now = (): Date => source?.() ?? new Date();

/**
 * The time that a test has set, or null. Production passes null on to SQL, which then reads the
 * database's clock: two machines whose clocks differ still agree on what is due.
 */
export const timeSetByTest = (): Date | null => source?.() ?? null;

/** For tests: time is what `clock` says, until it is set to null again. */
export function setCurrentTime(clock: (() => Date) | null): void {
  source = clock;
}
