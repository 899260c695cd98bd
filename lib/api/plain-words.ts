import type { z } from "zod";

/** zod's own names of kinds, in words. */
const kinds: Record<string, string> = {
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
  email: "must be an e-mail address",
  url: "must be an address, for example https://example.com/",
  regex: "has a form that is not taken here",
};

/** What zod says where a schema brings no sentence of its own. */
const isOwnOfZod = /^(Invalid|Too (big|small))\b/;

/**
 * What is wrong with a field, to stand behind its name: a schema's own sentence, or one in the
 * place of zod's.
 */
export function plainWords(issue: z.core.$ZodIssue): string {
  if (!isOwnOfZod.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kinds[issue.expected] ?? "of another kind"}`;
    case "invalid_value":
      return `may be ${alternatives(issue.values.map(String))}`;
    case "too_small":
      return limit("at least", Number(issue.minimum), issue.origin, issue.inclusive ?? true);
    case "too_big":
      return limit("at most", Number(issue.maximum), issue.origin, issue.inclusive ?? true);
    case "invalid_format":
      return formats[issue.format] ?? "has a form that is not taken here";
    case "invalid_key":
      return `is not a name that is taken here: it ${issue.issues[0] ? plainWords(issue.issues[0]) : "is not valid"}`;
    case "invalid_union":
      return "is of a kind that is not taken here";
    default:
      return "is not valid";
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
  figure: number,
  origin: string,
  isInclusive: boolean,
): string {
  const things = { string: "character", array: "item", set: "item" }[origin];
  if (things && bound === "at least" && figure === 1) return "must not be empty";
  if (things)
    return `must have ${bound} ${figure.toLocaleString("en")} ${things}${figure === 1 ? "" : "s"}`;
  if (!isInclusive) return `must be ${bound === "at least" ? "more" : "less"} than ${figure}`;
  return `must be ${bound} ${figure}`;
}
