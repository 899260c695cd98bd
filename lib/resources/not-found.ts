import { AppError, echo } from "@/lib/platform/errors";
import type { IdKind } from "./ids";

const nouns: Partial<Record<IdKind, string>> = {
  apiKey: "API key",
  knowledgeBase: "knowledge base",
};

/**
 * The same for another tenant's row and for the other environment's: the caller cannot tell these
 * from one that never existed.
 */
export function notFound(kind: IdKind, id: string): AppError {
  return new AppError("not-found", `There is no ${nouns[kind] ?? kind} with the id "${echo(id)}".`);
}
