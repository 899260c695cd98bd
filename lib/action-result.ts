/**
 * How a server action of the dashboard ended. `errors` holds what is wrong with each field by its name (a field inside
 * another one as `metadata.plan`); `message` is what is wrong with the whole, or the first of them.
 */
export type ActionResult<Value = null> =
  | { outcome: "done"; value: Value }
  | { outcome: "refused"; message: string; errors: Record<string, string> };
