import type { z } from "zod";
import { maximumIssues, type ValidationIssue } from "@/lib/platform/errors";
import { escapePointer } from "./read-request";

/**
 * What is wrong with a body that was sent to an operation without one. Anything but an empty object or
 * null is refused, because a request such as `{"dryRun": true}` would otherwise have an effect that its
 * sender ruled out, and so would one in another format.
 * @param query a field with the name of a query parameter is in the wrong place
 */
export function unusedBodyIssues(
  bytes: Uint8Array,
  query: z.ZodType | undefined,
): ValidationIssue[] {
  if (bytes.byteLength === 0) return [];
  const names = fieldsIn(bytes);
  if (!names)
    return [
      {
        pointer: "",
        location: "body",
        code: "invalid_type",
        predicate: "must be empty, or an empty object; this operation has no body",
      },
    ];
  const parameters = new Set(Object.keys((query as { shape?: object } | undefined)?.shape ?? {}));
  return names.slice(0, maximumIssues).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    location: "body",
    code: "unknown_field",
    predicate: parameters.has(name)
      ? "is a query parameter, not a field of the body"
      : "is not a known field; this operation has no body",
  }));
}

/** The names of the object's fields, or null if the body is not an object. */
function fieldsIn(bytes: Uint8Array): string[] | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && !Array.isArray(value) ? Object.keys(value ?? {}) : null;
  } catch {
    return null;
  }
}
