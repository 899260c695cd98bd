import { AppError, echo } from "@/lib/platform/errors";
import type { IdKind } from "./ids";
import { nouns } from "./registry";

/**
 * Rows of another tenant or the other environment get the same error, so the caller cannot
 * distinguish them from rows that never existed.
 */
export function notFound(kind: IdKind, id: string): AppError {
  return new AppError("not-found", `There is no ${nouns[kind].label} with the id "${echo(id)}".`);
}
