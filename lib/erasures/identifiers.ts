import { type Customer, customer } from "@/lib/customers/schema";
import type { Event } from "@/lib/events/schema";

export type Identifiers = Pick<Customer, "externalId" | "name" | "email" | "phone">;

/** Shorter names and ids occur inside other words, so they are searched for only as whole values. */
const shortest = 5;

const escapedLike = (text: string) => text.replaceAll(/[\\%_]/g, "\\$&");

/**
 * The letters A to Z in lowercase, as SQL's `lower(… COLLATE "C")` writes them. What it does with other
 * letters by default depends on the locale of the database.
 */
const lowerAscii = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const capitalized = (text: string) =>
  text.toLowerCase().replaceAll(/(?<!\p{L}\p{M}*)\p{L}/gu, (letter) => letter.toUpperCase());

/**
 * A text in other cases, and with accents as part of their letters or as characters of their own.
 * Patterns of ASCII text become equal again in `lowerAscii`.
 */
function variantsOf(text: string): string[] {
  const cases = [text, text.toLowerCase(), text.toUpperCase(), capitalized(text)];
  const all = cases.flatMap((each) => [each, each.normalize("NFC"), each.normalize("NFD")]);
  return [...new Set(all)];
}

/** How a text is written in a URL, and inside a JSON string. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const url = encodeURIComponent(text);
  // Also escapes the apostrophe. Strict encoders do the same, but write a space as `%20`.
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  return [
    ...[text, json, ascii, url, url.replaceAll("%20", "+"), url.replaceAll("%40", "@")],
    ...[form, form.replaceAll("+", "%20")],
  ];
}

const spellings = (text: string): string[] => [
  ...new Set(variantsOf(text).flatMap(formsOf).map(lowerAscii)),
];

/** Patterns for where a value stands alone: a JSON string, a parameter of a query, or a part of a path. */
const alone = (escaped: string) => [
  `"${escaped}"%`,
  ...[`=${escaped}&%`, `=${escaped}`],
  ...[`/${escaped}/%`, `/${escaped}?%`, `/${escaped}`],
];

function valuesOf(all: Identifiers[]): string[] {
  const values = all.flatMap(({ externalId, name, email, phone }) => {
    const parts = (name ?? "").split(/\s+/).filter((part) => part.length >= shortest);
    return [externalId, name, email, phone, ...parts].flatMap((value) => value ?? []);
  });
  return [...new Set(values)];
}

/**
 * Patterns for `LIKE` that find a customer's values in requests, with A to Z in lowercase. A value may
 * also be found in a request about someone else, whose log then loses its bodies, too.
 */
export function patternsOf(all: Identifiers[]): string[] {
  const patterns = valuesOf(all).flatMap((value) =>
    spellings(value).flatMap((spelling) =>
      value.length >= shortest
        ? [`%${escapedLike(spelling)}%`]
        : alone(escapedLike(spelling)).map((pattern) => `%${pattern}`),
    ),
  );
  return [...new Set(patterns)];
}

/**
 * Regular expressions that find a customer's values in lowercase idempotency keys, as whole words:
 * a key without its record is forgotten, so that of another request must not be found. Keys are ASCII.
 */
export function wordsOf(all: Identifiers[]): string[] {
  const found = valuesOf(all).flatMap((value) => spellings(value));
  return [...new Set(found)].filter((spelling) => /^[\x20-\x7e]+$/.test(spelling)).map(asWord);
}

function asWord(spelling: string): string {
  const escaped = spelling.replaceAll(/[^a-z0-9]/g, String.raw`\$&`);
  const start = /^[a-z0-9]/.test(spelling) ? "(?<![a-z0-9])" : "";
  const end = /[a-z0-9]$/.test(spelling) ? "(?![a-z0-9])" : "";
  return `${start}${escaped}${end}`;
}

/** A batch that compares this many pairs of request and pattern takes about a second. */
const patternsABatch = 20_000;

/**
 * How many rows a batch compares with the patterns. A customer with many earlier names has thousands
 * of patterns, and a batch must not take longer than a statement may.
 * @param limit of a customer with few
 */
export const rowsABatch = (limit: number, patterns: string[]): number =>
  Math.max(1, Math.min(limit, Math.floor(patternsABatch / Math.max(1, patterns.length))));

/** Adds values that the customer had earlier, from an event about it. */
export function withEarlier(known: Identifiers[], { data }: Event): Identifiers[] {
  const earlier = [data.object, { ...data.object, ...data.previousAttributes }].map(
    (fields): Identifiers => {
      const { externalId, name, email, phone } = customer.partial().parse(fields);
      return {
        externalId: externalId ?? null,
        name: name ?? null,
        email: email ?? null,
        phone: phone ?? null,
      };
    },
  );
  const isNew = (each: Identifiers) =>
    !known.some((other) => JSON.stringify(other) === JSON.stringify(each));
  return [...known, ...earlier.filter(isNew)].slice(0, maximumIdentifiers);
}

/** How many earlier versions of a customer are searched for in requests. */
const maximumIdentifiers = 100;
