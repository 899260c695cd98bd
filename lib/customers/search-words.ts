import type { identifyingFields } from "./schema";

type Identifying = Partial<Record<(typeof identifyingFields)[number], string | null | undefined>>;

/** PostgreSQL accepts no word above 2 KB, and no one types a longer one than this. */
const longestWord = 100;

/** Lower-case letters without accents, as people type them in a search. */
const fold = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();

const cut = (word: string) => [...word].slice(0, longestWord).join("");

export const wordsOf = (text: string) =>
  fold(text)
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(cut);

/** Country codes have one to three digits, and people often leave them out. */
const longestCountryCode = 3;

/**
 * The words that a customer can be found by: each word of their name, email address and external
 * id, and each part of such a word, so that "optik" finds maren@voss-optik.de. For the phone
 * number: its digits, with and without the country code, and the number as written.
 */
export function searchWords({ name, email, externalId, phone }: Identifying): string[] {
  const words = wordsOf([name, email, externalId].filter(Boolean).join(" "));
  const pieces = words.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u));
  const digits = phone?.replace(/\D/g, "") ?? "";
  const numbers = Array.from({ length: longestCountryCode + 1 }, (_, from) => digits.slice(from));
  return [...new Set([...words, ...pieces, phone ?? "", ...numbers])].filter((word) => word !== "");
}

const isNumber = (text: string) => /^[\d\s+/().-]+$/.test(text) && /\d/.test(text);

/**
 * A search as a PostgreSQL tsquery: all words of the text, each as a prefix. A text of digits may
 * be a phone number in any notation: with spaces, or with leading zeros.
 * @returns null if there is nothing to search for
 */
export function searchQuery(tenantId: string, text: string): string | null {
  const words = wordsOf(text);
  if (words.length === 0) return null;
  const all = [quoted(tenantId.toUpperCase()), ...words.map(beginning)].join(" & ");
  if (!isNumber(text)) return all;
  const digits = text.replace(/\D/g, "").replace(/^0+(?=\d)/, "");
  return `${all} | ${quoted(tenantId.toUpperCase())} & ${beginning(digits)}`;
}

const beginning = (word: string) => `${quoted(word)}:*`;
const quoted = (word: string) => `'${word.replaceAll(/['\\]/g, "$&$&")}'`;
