let end: Promise<void> | undefined;

/**
 * Resolves at the end of this turn of the event loop: after what is ready now, and before anything
 * else arrives.
 *
 * Responses, and statements that read, are written then. A write wakes the process that waits for
 * it, and most of what a write costs is to wake one that sleeps. Of many writes in a row, only the
 * first has to.
 */
export const endOfTurn = (): Promise<void> =>
  (end ??= new Promise((resolve) => {
    setImmediate(resolve);
    // Runs after everything that waited, for which this is still the end of the turn.
    setImmediate(() => {
      end = undefined;
    });
  }));
