import { sqlState } from "./sql-errors";

/** After a write fails because the disk is full, writes are assumed to fail for this long. */
const assumedFullMs = 30_000;

let fullUntilMs = 0;

/**
 * Names the full disk if that caused the error. A full database disk is remembered for `/ready`.
 */
export function findFullDisk(error: unknown, nowMs = performance.now()): string | null {
  if (sqlState(error) === "53100") {
    fullUntilMs = nowMs + assumedFullMs;
    return "the disk of the database";
  }
  return isDiskFull(error) ? "the disk that uploads arrive on (BLOB_DIRECTORY)" : null;
}

/** A file could not be written on this machine for lack of space. */
export function isDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ENOSPC" || code === "EDQUOT";
}

export const isDatabaseFull = (nowMs = performance.now()): boolean => nowMs < fullUntilMs;
