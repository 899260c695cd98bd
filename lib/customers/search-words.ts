import { cutWord, fold } from "@/lib/platform/search-text";
import type { identifyingFields } from "./schema";

type Identifying = Partial<Record<(typeof identifyingFields)[number], string | null | undefined>>;

export const wordsOf = (text: string) =>
  fold(text)
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(cutWord);

/** Country codes have one to three digits, and people often leave them out. */
const longestCountryCode = 3;

/** The digits of a phone number, with and without the country code. */
export function phoneWords(phone: string | null | undefined): string[] {
  const digits = phone?.replace(/\D/g, "") ?? "";
  return Array.from({ length: longestCountryCode + 1 }, (_, from) => digits.slice(from)).filter(
    (word) => word !== "",
  );
}

/**
 * The words that a customer can be found by: each word of their name, email address and external
 * id, and each part of such a word, so that "optik" finds maren@voss-optik.de. For the phone
 * number: its digits, with and without the country code, and the number as written.
 */
export function searchWords({ name, email, externalId, phone }: Identifying): string[] {
  const words = wordsOf([name, email, externalId].filter(Boolean).join(" "));
  const pieces = words.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u));
  const all = [...words, ...pieces, phone ?? "", ...phoneWords(phone)];
  return [...new Set(all)].filter((word) => word !== "");
}

const isNumber = (text: string) => /^[\d\s+/().-]+$/.test(text) && /\d/.test(text);

/**
 * The digits of a text that may be a phone number in any notation: with spaces, or with leading
 * zeros. Null for any other text.
 */
export const phoneDigits = (text: string): string | null =>
  isNumber(text) ? text.replace(/\D/g, "").replace(/^0+(?=\d)/, "") : null;

/**
 * A search as a PostgreSQL tsquery: all words of the text, each as a prefix, or a phone number.
 * @returns null if there is nothing to search for
 */
export function searchQuery(tenantId: string, text: string): string | null {
  const words = wordsOf(text);
  if (words.length === 0) return null;
  const all = [quoted(tenantId.toUpperCase()), ...words.map(beginning)].join(" & ");
  const digits = phoneDigits(text);
  return digits ? `${all} | ${quoted(tenantId.toUpperCase())} & ${beginning(digits)}` : all;
}

const beginning = (word: string) => `${quoted(word)}:*`;
const quoted = (word: string) => `'${word.replaceAll(/['\\]/g, "$&$&")}'`;
