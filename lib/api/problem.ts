import { findFullDisk } from "@/lib/platform/disk-full";
import { env } from "@/lib/platform/env";
import {
  AppError,
  type ErrorMembers,
  echo,
  errorKinds,
  internalError,
  sentenceOf,
  unavailable,
} from "@/lib/platform/errors";
import { FilesUnavailable } from "@/lib/platform/files-unavailable";
import { logOf } from "@/lib/platform/log";
import { OrganizationIsBusy } from "@/lib/platform/organization-is-busy";
import { isDatabaseUnavailable, sqlState } from "@/lib/platform/sql-errors";

const log = logOf("api");

/**
 * An error as a response (RFC 9457, formerly 7807). This file is the one place where a thrown error
 * becomes a response; its text is in lib/platform/errors.ts.
 */
export type Problem = { status: number; body: string; headers: Record<string, string> };

/**
 * Anything other than an AppError is logged, and the response reveals nothing about it. It becomes
 * `unavailable` if the database or the store for files cannot be used or a disk is full, and
 * `internal` otherwise.
 * @param instance the path of the request
 */
export function toProblem(thrown: unknown, instance: string, requestId: string): Problem {
  const error = thrown instanceof AppError ? thrown : toInternalError(thrown, instance, requestId);
  const { status, title } = errorKinds[error.kind];
  const body = JSON.stringify({
    type: `${env().ERROR_BASE}/errors/${error.kind}`,
    title,
    status,
    detail: error.detail,
    // 255 characters: longer than any real path.
    instance: echo(instance, 255),
    requestId,
    ...toPublicMembers(error.members),
  });
  return { status, body, headers: error.headers };
}

/** Members of a problem as the API sends them: each issue has its message as a whole sentence. */
export const toPublicMembers = ({ errors, ...members }: ErrorMembers) => ({
  ...(errors && {
    errors: errors.map(({ predicate, ...issue }) => ({
      ...issue,
      message: sentenceOf({ predicate, ...issue }),
    })),
  }),
  ...members,
});

/**
 * The fields of an error that help to find its cause. PostgreSQL's other fields are left out,
 * because they can contain row values.
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

function toInternalError(thrown: unknown, instance: string, requestId: string): AppError {
  const fullDisk = findFullDisk(thrown);
  if (fullDisk || isDatabaseUnavailable(thrown)) {
    const error = (thrown as Error).message;
    if (fullDisk) log.error({ requestId, instance, error }, `${fullDisk} is full: free some space`);
    else if (thrown instanceof OrganizationIsBusy)
      log.warn({ requestId, instance, error }, "a change waited too long for other changes");
    else log.warn({ requestId, instance, error }, "the database could not be reached");
    return unavailable();
  }
  if (thrown instanceof FilesUnavailable) {
    log.error({ requestId, instance }, `${thrown.message}; see \`npm run admin -- doctor\``);
    return unavailable();
  }
  log.error({ requestId, instance, ...detailsOf(thrown) }, "a request failed");
  return internalError();
}
