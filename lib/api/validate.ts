import type { z } from "zod";
import { AppError, echo, invalidCursor, type ValidationIssue } from "@/lib/platform/errors";
import type { IdKind } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { nearestField } from "./nearest-field";
import { plainWords } from "./plain-words";
import { escapePointer, findUnacceptable, maximumIssues } from "./read-request";

type Location = ValidationIssue["location"];

/**
 * Parses one part of a request. @returns its output, or all that is wrong with it.
 * @param readOnlyFields names that the resource has but that cannot be written, to tell them from
 * unknown ones
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  location: Location,
  readOnlyFields?: ReadonlySet<string>,
) {
  // In a path there are ids alone, and what is none leads to a 404.
  const unacceptable = location === "path" ? [] : findUnacceptable(value, location);
  if (unacceptable.length > 0) return { issues: unacceptable.map(withField) };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { output: parsed.data as z.output<Schema>, issues: [] };
  requireCursorAndId(parsed.error.issues, value);
  const part: Part = { schema, root: value, location, readOnlyFields };
  return {
    issues: parsed.error.issues.flatMap((issue) => toIssues(issue, part)).slice(0, maximumIssues),
  };
}

/** All findings at once; `detail` repeats the first one. */
export function invalid(issues: ValidationIssue[]): AppError {
  const [first] = issues;
  const sentence = first?.message ?? "The request is not valid";
  const end =
    issues.length > 1 ? ` (and ${issues.length - 1} more).` : sentence.endsWith("?") ? "" : ".";
  return new AppError("validation", `${sentence}${end}`, {
    errors: issues.slice(0, maximumIssues),
  });
}

/**
 * Two findings are kinds of their own: a cursor that is none, and an id in the path that cannot
 * exist.
 */
function requireCursorAndId(issues: readonly z.core.$ZodIssue[], value: unknown): void {
  for (const issue of issues) {
    if (issue.code !== "custom") continue;
    if (issue.params?.kind === "not-found")
      throw notFound(issue.params.idKind as IdKind, String(valueAt(value, issue.path) ?? ""));
    if (issue.params?.kind === "invalid-cursor" && issues.length === 1) throw invalidCursor();
  }
}

/** What is being parsed, and by what. */
type Part = {
  schema: z.ZodType;
  root: unknown;
  location: Location;
  readOnlyFields?: ReadonlySet<string> | undefined;
};

function toIssues(issue: z.core.$ZodIssue, part: Part): ValidationIssue[] {
  const { schema, root, location, readOnlyFields } = part;
  // A parameter is one text for whoever sends it, even where it is a list.
  const path = location === "query" ? issue.path.slice(0, 1) : issue.path;
  const pointer = path.map((step) => `/${escapePointer(step)}`).join("");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const isReadOnly = issue.path.length === 0 && readOnlyFields?.has(key);
      const nameOf = (field: string) => echo([...issue.path, field].join("."));
      const meant = isReadOnly ? undefined : nearestField(schema, issue.path, key);
      const unknown = `${nameOf(key)} is not known here${meant ? `; did you mean ${nameOf(meant)}?` : ""}`;
      return {
        pointer: `${pointer}/${escapePointer(key)}`,
        location,
        code: isReadOnly ? "read_only" : "unknown_field",
        message: isReadOnly ? `${key} cannot be written` : unknown,
      };
    });
  }
  // Of a union, the branch that came closest explains best: one of the kind that was given, with
  // the fewest findings.
  if (issue.code === "invalid_union") {
    const branches = issue.errors.filter(
      (branch) =>
        branch.length > 0 && !(branch[0]?.code === "invalid_type" && branch[0].path.length === 0),
    );
    const closest = branches.toSorted((a, b) => a.length - b.length)[0];
    if (closest && branches.length < issue.errors.length) {
      return closest.flatMap((inner) =>
        toIssues({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, part),
      );
    }
  }
  const isMissing = issue.code === "invalid_type" && valueAt(root, issue.path) === undefined;
  const field = echo(path.join("."));
  if (isMissing)
    return [
      {
        pointer,
        location,
        code: "required",
        message: field ? `${field} is required` : "a body is required",
      },
    ];
  const code = issue.code === "custom" ? String(issue.params?.code ?? "custom") : issue.code;
  return [withField({ pointer, location, code, message: plainWords(issue) })];
}

function withField(issue: ValidationIssue): ValidationIssue {
  const field = echo(issue.pointer.slice(1).replaceAll("/", "."));
  if (!field) return issue;
  return {
    ...issue,
    message: `${field}${isPredicate.test(issue.message) ? "" : ":"} ${issue.message}`,
  };
}

/** What is said of the field, rather than a sentence of its own. */
const isPredicate = /^(is|has|holds|lies|must|may|cannot|contains) /;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function valueAt(root: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (isObject(value) ? (value as Record<PropertyKey, unknown>)[part] : undefined),
    root,
  );
}
