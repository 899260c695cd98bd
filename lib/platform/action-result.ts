/**
 * The result of a dashboard server action. `errors` has a message per field (nested fields as
 * `metadata.plan`); `message` is the error of the whole input, or the first field's; `existingId`
 * names the resource that a conflict is with.
 */
export type ActionResult<Value = null> =
  | { outcome: "done"; value: Value }
  | { outcome: "refused"; message: string; errors: Record<string, string>; existingId?: string };

export type Refusal = Extract<ActionResult, { outcome: "refused" }>;

/**
 * Nothing was changed: the user must first prove their identity. `what` is the action they tried:
 * "create a live key".
 */
export type ProofRequest = { outcome: "proof-needed"; what: string };

/**
 * An issue's predicate as a form shows it below the field, for example "Must be a whole number".
 */
export const errorOfField = (predicate: string): string =>
  predicate === "is required" ? "Required" : predicate.charAt(0).toUpperCase() + predicate.slice(1);
