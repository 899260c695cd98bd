import { FilesUnavailable } from "./files-unavailable";
import { OrganizationIsBusy } from "./organization-is-busy";

// What an error of the database means. It may come from pg or from Prisma.

/** PostgreSQL's SQLSTATE of an error, whether pg threw it or Prisma wrapped it. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, meta, cause } = error as {
    code?: unknown;
    meta?: { code?: unknown; driverAdapterError?: { cause?: { originalCode?: unknown } } };
    cause?: unknown;
  };
  const original = meta?.driverAdapterError?.cause?.originalCode ?? meta?.code;
  if (typeof original === "string") return original;
  // Not Prisma's own codes, and not those of Node, such as EPIPE, which say nothing of the statement.
  if (typeof code === "string" && /^(?!P1|P2|E)[0-9A-Z]{5}$/.test(code)) return code;
  const originalCode = (cause as { originalCode?: unknown } | undefined)?.originalCode;
  return typeof originalCode === "string" ? originalCode : undefined;
}

const lostConnection =
  /ECONNREFUSED|ECONNRESET|EPIPE|connect ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connection terminated|connection timeout|timeout expired|timeout exceeded when trying to connect|Can't reach database|Server has closed the connection|not queryable/i;

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
]);

/** Why TLS prevents a connection to the database, and how to fix it. Trying again does not help. */
export function tlsProblem(error: unknown): string | undefined {
  const { code = "", message = "" } = (error ?? {}) as { code?: string; message?: string };
  if (untrusted.has(code))
    return `its certificate is not trusted (${message}). Name the file of its certificate authority with \`sslrootcert\` in the address`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `its certificate is for another host (${message}). Use a host that the certificate names`;
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired. Renew it";
  if (message.includes("does not support SSL"))
    return "it does not support TLS. Turn on `ssl` in PostgreSQL, or remove `sslmode` from the address";
  return undefined;
}

/**
 * Whether PostgreSQL refused a statement that requests share, perhaps because of only one of them, so
 * that it had no effect. After a lost connection or a shutdown, its effect is not known. After a
 * timeout, and on a server that has no room, cannot write or refuses connections, further statements
 * would make it worse.
 */
export function mayConcernOne(error: unknown): boolean {
  const state = sqlState(error);
  // Such as 57P03 while PostgreSQL starts, which our own functions raise as an ERROR.
  if ((error as { severity?: string } | null)?.severity === "FATAL") return false;
  return state !== undefined && !/^(08|28|3D|53|58|57P01|57P02|57P05|57014|25006)/.test(state);
}

/** PostgreSQL ended this transaction to break a deadlock, so it can be run again. */
export function isDeadlock(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/** Another transaction inserted a row with the same unique values first; it can now be read. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === "23505";

/** Another row refers to the one that was to be deleted, or the row to refer to does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  ["23001", "23503"].includes(sqlState(error) ?? "");

/** The state of a statement that writes to a replica, or to a primary that was demoted. */
export const readOnlyState = "25006";

/**
 * SQLSTATEs after which the same request may succeed in a moment: lock and statement timeouts, and a
 * replica that is about to be promoted.
 */
const lockTimeout = "55P03";
const temporary = new Set([lockTimeout, "57014", "40P01", "40001", readOnlyState]);

/** SQLSTATEs of refused connections: a wrong user or password, an unknown database, too many. */
const refusedConnection = /^(08|28|3D|57P|53300)/;
/** The same in Prisma: a wrong password, no server, no such database, no rights, a closed connection. */
const refusedByPrisma = new Set(["P1000", "P1001", "P1003", "P1010", "P1017"]);

/** There is no connection to the database, so every statement fails for this reason. */
export function isConnectionFailure(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  if (error instanceof FilesUnavailable) return false;
  if (refusedConnection.test(sqlState(error) ?? "") || refusedByPrisma.has(code ?? "")) return true;
  return lostConnection.test(`${code ?? ""} ${message ?? ""}`);
}

/** A statement waited for a lock for as long as it may. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === lockTimeout;

/** The database is unavailable or shutting down: the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof OrganizationIsBusy) return true;
  if (error instanceof FilesUnavailable) return false;
  const state = sqlState(error);
  if (
    state &&
    (temporary.has(state) ||
      state.startsWith("08") ||
      state.startsWith("57P") ||
      state.startsWith("53"))
  )
    return true;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  if (code === "P1001" || code === "P1017" || code === "P2024" || code === "P2028") return true;
  return lostConnection.test(`${code ?? ""} ${message ?? ""}`);
}
