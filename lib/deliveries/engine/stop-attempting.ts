// On globalThis, because Next's bundle runs Inngest's functions and the server's bundle stops the
// process (lib/platform/db.ts).
const shared = globalThis as { parlanceStopsAttempting?: boolean };

/**
 * From now on, Inngest's functions start no attempt in this process. Those in flight end within a
 * request's deadline, and the others are left to another process, so a batch does not outlast the
 * time that the process has to stop.
 */
export function stopAttempting(): void {
  shared.parlanceStopsAttempting = true;
}

export const stopsAttempting = (): boolean => shared.parlanceStopsAttempting === true;
