import type { z } from "zod";
import { AppError, notFound, type ValidationIssue } from "@/lib/errors";
import type { IdKind } from "@/lib/ids";
import { escapePointer, findUnacceptable, maximumIssues } from "./read-request";

type Location = ValidationIssue["location"];

/**
 * Parses one part of a request. @returns its output, or all that is wrong with it.
 * @param readOnlyFields names that the resource has but that cannot be written, to tell them from unknown ones
 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, location: Location, readOnlyFields?: ReadonlySet<string>) {
  // In a path there are ids alone, and what is none leads to a 404.
  const unacceptable = location === "path" ? [] : findUnacceptable(value, location);
  if (unacceptable.length > 0) return { issues: unacceptable.map(withField) };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { output: parsed.data as z.output<Schema>, issues: [] };
  requireCursorAndId(parsed.error.issues, value);
  return { issues: parsed.error.issues.flatMap((issue) => toIssues(issue, value, location, readOnlyFields)).slice(0, maximumIssues) };
}

/** All findings at once; `detail` repeats the first one. */
export function invalid(issues: ValidationIssue[]): AppError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new AppError("validation", `${first?.message ?? "The request is not valid"}${more}.`, { errors: issues.slice(0, maximumIssues) });
}

/** Two findings are kinds of their own: a cursor that is none, and an id in the path that cannot exist. */
function requireCursorAndId(issues: readonly z.core.$ZodIssue[], value: unknown): void {
  for (const issue of issues) {
    if (issue.code !== "custom") continue;
    if (issue.params?.kind === "not-found") throw notFound(issue.params.idKind as IdKind, String(valueAt(value, issue.path) ?? ""));
    if (issue.params?.kind === "invalid-cursor" && issues.length === 1) {
      const errors = [
        { pointer: "/cursor", location: "query" as const, code: "invalid_cursor", message: "cursor is no cursor of this list" },
      ];
      throw new AppError("invalid-cursor", "The cursor is not one that this list gave out as `nextCursor`.", { errors });
    }
  }
}

function toIssues(issue: z.core.$ZodIssue, root: unknown, location: Location, readOnlyFields?: ReadonlySet<string>): ValidationIssue[] {
  const pointer = issue.path.map((part) => `/${escapePointer(part)}`).join("");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const isReadOnly = issue.path.length === 0 && readOnlyFields?.has(key);
      return {
        pointer: `${pointer}/${escapePointer(key)}`,
        location,
        code: isReadOnly ? "read_only" : "unknown_field",
        message: isReadOnly ? `${key} cannot be written` : `${[...issue.path, key].join(".")} is not known here`,
      };
    });
  }
  // Of a union, the branch that came closest explains best: the one with the fewest findings, an object before a text.
  if (issue.code === "invalid_union") {
    const given = valueAt(root, issue.path);
    const branches = issue.errors.filter(
      (branch) => branch.length > 0 && !(isObject(given) && branch[0]?.code === "invalid_type" && branch[0].path.length === 0),
    );
    const closest = branches.toSorted((a, b) => a.length - b.length)[0];
    if (closest && branches.length < issue.errors.length) {
      return closest.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, root, location));
    }
  }
  const isMissing = issue.code === "invalid_type" && valueAt(root, issue.path) === undefined;
  const field = issue.path.join(".");
  if (isMissing) return [{ pointer, location, code: "required", message: field ? `${field} is required` : "a body is required" }];
  return [withField({ pointer, location, code: issue.code, message: issue.message.replace(/^Invalid input: /, "") })];
}

function withField(issue: ValidationIssue): ValidationIssue {
  const field = issue.pointer.slice(1).replaceAll("/", ".");
  return { ...issue, message: field ? `${field}: ${issue.message}` : issue.message };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function valueAt(root: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, part) => (isObject(value) ? (value as Record<PropertyKey, unknown>)[part] : undefined), root);
}
