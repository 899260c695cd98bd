import type { Logger } from "pino";
import { logOf } from "./log";
import { isConnectionFailure } from "./sql-errors";

/** Between two lines about a database that cannot be used, however much work waits for it. */
const outageLineMs = 10_000;

let reportedAtMs = Number.NEGATIVE_INFINITY;
let failedAtMs = Number.NEGATIVE_INFINITY;
let failures = 0;

/**
 * Logs the failure of work that will be tried again. While the database cannot be used, all work
 * fails for that one reason several times a second, so these failures share a line.
 */
export function warnOfFailure(
  log: Logger,
  error: unknown,
  fields: Record<string, unknown>,
  message: string,
  nowMs = performance.now(),
): void {
  const line = { ...fields, error: (error as Error).message };
  if (!isConnectionFailure(error)) {
    log.warn(line, message);
    return;
  }
  log.debug(line, message);
  // After such a pause, this is another outage.
  if (nowMs - failedAtMs >= outageLineMs) failures = 0;
  failedAtMs = nowMs;
  failures += 1;
  if (nowMs - reportedAtMs < outageLineMs) return;
  logOf("database").warn(
    { error: line.error, failures },
    "the database cannot be used, and work waits until it can; see `npm run admin -- doctor`",
  );
  reportedAtMs = nowMs;
  failures = 0;
}
