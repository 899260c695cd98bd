import type { identifyingFields } from "./schema";

type Identifying = Partial<Record<(typeof identifyingFields)[number], string | null | undefined>>;

/** PostgreSQL takes no word above 2 KB, and nobody types one that is longer than this. */
const longestWord = 100;

/** Letters as one types them when in doubt: small, and without accents. */
const fold = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();

const cut = (word: string) => [...word].slice(0, longestWord).join("");

const wordsOf = (text: string) =>
  fold(text)
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(cut);

/** Countries have one to three digits, and people leave them out. */
const longestCountryCode = 3;

/**
 * What a customer is found by: each word of its name, e-mail address and external id, and each
 * piece of such a word, so that "optik" leads to maren@voss-optik.de; of its phone number the
 * digits, with the country's and without, and the whole of it as it is written.
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
 * A search as PostgreSQL's tsquery: all the words of the text, each of them a beginning. A text of
 * digits alone may be a phone number however it is written: with blanks, with the zeros of a call
 * at home or abroad.
 * @returns null where there is nothing to look for
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
