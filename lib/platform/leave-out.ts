import { logOf } from "./log";
import { isConnectionFailure } from "./sql-errors";
import { warnOfFailure } from "./warn-of-failure";

const log = logOf("jobs");

/**
 * Leaves out what a job failed to process, so that it does not hold up the rest.
 * @param message what is logged about a failure
 * @param forMs for how long it is left out, by this process's own time
 */
export function leaveOut(message: string, { forMs = 60_000 } = {}) {
  const until = new Map<string, number>();

  /** @throws the error if the database cannot be reached, because then all work fails */
  function add(id: string, fields: Record<string, unknown>, error: unknown): void {
    if (isConnectionFailure(error)) throw error;
    until.set(id, performance.now() + forMs);
    warnOfFailure(log, error, fields, message);
  }

  return {
    add,
    /** What the next batch must not contain. */
    ids(): string[] {
      for (const [id, endMs] of until) if (endMs <= performance.now()) until.delete(id);
      return [...until.keys()];
    },
    /** If `work` fails, logs it with `fields`, leaves `id` out and returns null. */
    async attempt<Result>(
      id: string,
      fields: Record<string, unknown>,
      work: () => Promise<Result>,
    ): Promise<Result | null> {
      try {
        return await work();
      } catch (error) {
        add(id, fields, error);
        return null;
      }
    },
  };
}
