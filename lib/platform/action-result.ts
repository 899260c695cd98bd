/**
 * How a server action of the dashboard ended. `errors` holds what is wrong with each field by its
 * name (a field inside another one as `metadata.plan`); `message` is what is wrong with the whole,
 * or the first of them; `existingId` names what stands in the way of a conflict.
 */
export type ActionResult<Value = null> =
  | { outcome: "done"; value: Value }
  | { outcome: "refused"; message: string; errors: Record<string, string>; existingId?: string };

/**
 * Nothing was changed: first the person has to show that it is them. `what` is what they were about
 * to do: "create a live key".
 */
export type ProofRequest = { outcome: "proof-needed"; what: string };

/** A predicate of an issue as a form shows it below the field, for example "Must be a whole number". */
export const errorOfField = (predicate: string): string =>
  predicate === "is required" ? "Required" : predicate.charAt(0).toUpperCase() + predicate.slice(1);
