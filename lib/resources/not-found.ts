import { AppError, echo } from "@/lib/platform/errors";
import type { IdKind } from "./ids";
import { nouns } from "./registry";

/**
 * Another tenant's row and the other environment's row get this error too, so the caller cannot tell
 * them from one that never existed.
 */
export function notFound(kind: IdKind, id: string): AppError {
  return new AppError("not-found", `There is no ${nouns[kind].label} with the id "${echo(id)}".`);
}
