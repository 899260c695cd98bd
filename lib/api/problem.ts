import { isDatabaseUnavailable, sqlState } from "@/lib/platform/db";
import { findFullDisk } from "@/lib/platform/disk-full";
import { env } from "@/lib/platform/env";
import { AppError, echo, errorKinds, internalError, unavailable } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";

/**
 * An error as it goes out (RFC 9457, formerly 7807): the one place where something thrown becomes
 * an answer.
 */
export type Problem = { status: number; body: string; headers: Record<string, string> };

/**
 * @param instance the path of the request What is no AppError shows nothing of itself: it is
 * `unavailable` where the database is away, `internal` otherwise, and logged.
 */
export function toProblem(thrown: unknown, instance: string, requestId: string): Problem {
  const error = thrown instanceof AppError ? thrown : concealed(thrown, instance, requestId);
  const { status, title } = errorKinds[error.kind];
  const body = JSON.stringify({
    type: `${env().ERROR_BASE}/errors/${error.kind}`,
    title,
    status,
    detail: error.detail,
    // Longer than any path that leads somewhere.
    instance: echo(instance, 255),
    requestId,
    ...error.members,
  });
  return { status, body, headers: error.headers };
}

/**
 * What helps to find the cause. Not the error's other members: PostgreSQL's can hold values of the
 * row.
 */
function detailsOf(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return {
    error: thrown.message,
    name: thrown.name,
    sqlState: sqlState(thrown),
    stack: thrown.stack,
  };
}

function concealed(thrown: unknown, instance: string, requestId: string): AppError {
  const fullDisk = findFullDisk(thrown);
  if (fullDisk || isDatabaseUnavailable(thrown)) {
    const error = (thrown as Error).message;
    if (fullDisk) log.error({ requestId, instance, error }, `${fullDisk} is full: free some space`);
    else log.warn({ requestId, instance, error }, "the database could not be reached");
    return unavailable();
  }
  log.error({ requestId, instance, ...detailsOf(thrown) }, "a request failed");
  return internalError();
}
