import type { z } from "zod";
import { echo, invalidCursor, maximumIssues, type ValidationIssue } from "@/lib/platform/errors";
import type { IdKind } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { findUnacceptable } from "./find-unacceptable";
import { predicateOf } from "./predicates";
import { escapePointer } from "./read-request";
import { suggestField } from "./suggest-field";

type Location = ValidationIssue["location"];

/**
 * Parses one part of a request.
 * @param readOnlyFields the resource's fields that cannot be written; their error differs from that
 * of unknown fields
 * @returns its output, or all of its issues
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  location: Location,
  readOnlyFields?: ReadonlySet<string>,
) {
  // A path has only ids, and a malformed id leads to a 404.
  const unacceptable = location === "path" ? [] : findUnacceptable(value, location);
  if (unacceptable.length > 0) return { issues: unacceptable };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { output: parsed.data as z.output<Schema>, issues: [] };
  requireCursorAndId(parsed.error.issues, value);
  const part: Part = { schema, root: value, location, readOnlyFields };
  return {
    issues: parsed.error.issues.flatMap((issue) => toIssues(issue, part)).slice(0, maximumIssues),
  };
}

/** Two issues are errors of their own kind: a malformed cursor, and a malformed id in the path. */
function requireCursorAndId(issues: readonly z.core.$ZodIssue[], value: unknown): void {
  for (const issue of issues) {
    if (issue.code !== "custom") continue;
    if (issue.params?.kind === "not-found")
      throw notFound(issue.params.idKind as IdKind, String(valueAt(value, issue.path) ?? ""));
    if (issue.params?.kind === "invalid-cursor" && issues.length === 1) throw invalidCursor();
  }
}

/** The value that is parsed, and its schema. */
type Part = {
  schema: z.ZodType;
  root: unknown;
  location: Location;
  readOnlyFields?: ReadonlySet<string> | undefined;
};

function toIssues(issue: z.core.$ZodIssue, part: Part): ValidationIssue[] {
  const { schema, root, location, readOnlyFields } = part;
  // The client sends a list parameter as one string.
  const isOneString =
    location === "query" && typeof valueAt(root, issue.path.slice(0, 1)) === "string";
  const path = isOneString ? issue.path.slice(0, 1) : issue.path;
  const pointer = path.map((step) => `/${escapePointer(step)}`).join("");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const isReadOnly = issue.path.length === 0 && readOnlyFields?.has(key);
      const nameOf = (field: string) => echo([...issue.path, field].join("."));
      const meant = isReadOnly ? undefined : suggestField(schema, issue.path, key);
      const noun = location === "query" ? "parameter" : "field";
      const unknown = `is not a known ${noun}${meant ? `; did you mean ${nameOf(meant)}?` : ""}`;
      return {
        pointer: `${pointer}/${escapePointer(key)}`,
        location,
        code: isReadOnly ? "read_only" : "unknown_field",
        predicate: isReadOnly ? "is read-only and must not be sent" : unknown,
      };
    });
  }
  // For a union, reports the issues of the closest branch: the one of the type that was sent, with
  // the fewest issues.
  if (issue.code === "invalid_union") {
    const isObjectOrList = isObject(valueAt(root, issue.path));
    const branches = issue.errors.filter(
      ([first]) =>
        first &&
        !(
          first.path.length === 0 &&
          // An enum reports an object or a list as `invalid_value`, not as `invalid_type`.
          (first.code === "invalid_type" || (first.code === "invalid_value" && isObjectOrList))
        ),
    );
    const closest = branches.toSorted((a, b) => a.length - b.length)[0];
    if (closest && branches.length < issue.errors.length) {
      return closest.flatMap((inner) =>
        toIssues({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, part),
      );
    }
  }
  const isMissing = issue.code === "invalid_type" && valueAt(root, issue.path) === undefined;
  if (isMissing) return [{ pointer, location, code: "required", predicate: "is required" }];
  const code = issue.code === "custom" ? String(issue.params?.code ?? "custom") : issue.code;
  return [{ pointer, location, code, predicate: predicateOf(issue) }];
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function valueAt(root: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (isObject(value) ? (value as Record<PropertyKey, unknown>)[part] : undefined),
    root,
  );
}
