import type { z } from "zod";
import { maximumIssues, type ValidationIssue } from "@/lib/platform/errors";
import { escapePointer } from "./read-request";

/**
 * The fields that were sent to an operation without a body. They are refused, because a request
 * such as `{"dryRun": true}` would otherwise have an effect that its sender ruled out. Clients also
 * send an empty object, or no JSON at all, where nothing is read. Both are ignored.
 * @param query a field with the name of a query parameter is in the wrong place
 */
export function unusedFields(bytes: Uint8Array, query: z.ZodType | undefined): ValidationIssue[] {
  if (bytes.byteLength === 0) return [];
  const parameters = new Set(Object.keys((query as { shape?: object } | undefined)?.shape ?? {}));
  return fieldsIn(bytes)
    .slice(0, maximumIssues)
    .map((name) => ({
      pointer: `/${escapePointer(name)}`,
      location: "body",
      code: "unknown_field",
      predicate: parameters.has(name)
        ? "is a query parameter, not a field of the body"
        : "is not a known field; this operation has no body",
    }));
}

function fieldsIn(bytes: Uint8Array): string[] {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value)
      : [];
  } catch {
    return [];
  }
}
