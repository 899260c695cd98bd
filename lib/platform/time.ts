let source: (() => Date) | null = null;

/**
 * The time by which what is due is judged, or null for the database's own clock, which is always so
 * in production: two machines whose clocks differ then still agree.
 */
export function currentTime(): Date | null {
  return source?.() ?? null;
}

/** For tests: time is what `now` says, until it is set to null again. */
export function setCurrentTime(now: (() => Date) | null): void {
  source = now;
}
