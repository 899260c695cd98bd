import type { z } from "zod";

/** zod's names of types, in plain English. */
const types: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formats: Record<string, string> = {
  datetime: "must be a time with its offset, for example 2026-01-31T09:30:00Z",
  date: "must be a date, for example 2026-01-31",
  email: "must be a valid email address",
  url: "must be a URL, for example https://example.com/",
};

const otherFormat = "must have another format";

/** The start of zod's own messages. A schema without a message of its own has one of these. */
const isMessageOfZod = /^(Invalid|Too (big|small))\b/;

/**
 * The requirement that a field does not meet, without the field's name: the schema's own message,
 * or one that replaces zod's.
 */
export function predicateOf(issue: z.core.$ZodIssue): string {
  if (!isMessageOfZod.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${types[issue.expected] ?? "of another type"}`;
    case "invalid_value":
      return `must be ${alternatives(issue.values.map(String))}`;
    case "too_small":
      return limit("at least", Number(issue.minimum), issue.origin, issue.inclusive ?? true);
    case "too_big":
      return limit("at most", Number(issue.maximum), issue.origin, issue.inclusive ?? true);
    case "invalid_format":
      return formats[issue.format] ?? otherFormat;
    case "invalid_key":
      return `must have another name: a name ${issue.issues[0] ? predicateOf(issue.issues[0]) : otherFormat}`;
    case "invalid_union":
      return "must be of another type";
    default:
      return "must have another value";
  }
}

/** `OPEN, PENDING or CLOSED`. */
function alternatives(values: string[]): string {
  return values.length > 1
    ? `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`
    : values.join();
}

function limit(
  bound: "at least" | "at most",
  amount: number,
  origin: string,
  isInclusive: boolean,
): string {
  const unit = { string: "character", array: "item", set: "item" }[origin];
  const shown = amount.toLocaleString("en");
  if (unit && bound === "at least" && amount === 1) return "must not be empty";
  if (unit) return `must have ${bound} ${shown} ${unit}${amount === 1 ? "" : "s"}`;
  if (!isInclusive) return `must be ${bound === "at least" ? "more" : "less"} than ${shown}`;
  return `must be ${bound} ${shown}`;
}
