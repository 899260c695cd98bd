import { maximumIssues, type ValidationIssue } from "@/lib/platform/errors";
import { escapePointer } from "./read-request";

export const maximumDepth = 32;
const maximumKeys = 1_000;

/**
 * Finds values that no body may contain, at any depth: NUL (PostgreSQL rejects it), lone surrogates
 * (PostgreSQL would silently replace them), the name `__proto__` (zod would silently drop it),
 * integers that a double cannot represent, and too many levels or keys.
 */
export function findUnacceptable(
  root: unknown,
  location: ValidationIssue["location"],
): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  let keys = 0;
  const add = (pointer: string, code: string, predicate: string) =>
    issues.push({ pointer, location, code, predicate });
  const visit = (value: unknown, pointer: string, depth: number): void => {
    if (issues.length >= maximumIssues) return;
    if (typeof value === "string") {
      if (value.includes("\0") || !value.isWellFormed())
        add(
          pointer,
          "invalid_characters",
          "must not contain a NUL character or half of a surrogate pair",
        );
    } else if (typeof value === "number") {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
        add(
          pointer,
          "unsafe_number",
          "must be a number that is stored exactly: this one is too large",
        );
    } else if (value !== null && typeof value === "object") {
      if (depth >= maximumDepth)
        return void add(pointer, "too_deep", `must be nested at most ${maximumDepth} levels deep`);
      for (const [key, part] of Object.entries(value)) {
        if (++keys > maximumKeys)
          return void add(
            pointer,
            "too_many_keys",
            `must have at most ${maximumKeys} keys and items in all`,
          );
        const inner = `${pointer}/${escapePointer(key)}`;
        if (!Array.isArray(value)) visit(key, inner, depth);
        if (key === "__proto__")
          add(inner, "invalid_key", "must have another name: this one is reserved");
        visit(part, inner, depth + 1);
      }
    }
  };
  visit(root, "", 0);
  return issues;
}
