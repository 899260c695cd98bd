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
  const others = new Set([...words.flatMap(piecesOf), phone ?? "", ...phoneWords(phone)]);
  for (const word of ["", ...words]) others.delete(word);
  // The words are in their order, repeated ones too, because phrases are found in them.
  return [...words, ...others];
}

/** The runs of letters and digits in a word. */
const piecesOf = (word: string) => word.split(/[^\p{L}\p{N}]+/u).filter((piece) => piece !== "");

/** Unicode has no letters and digits after the first four planes. */
const lastLetter = 0x3_ffff;
const lastCharacter = 0x10_ffff;
let betweenPieces: string | undefined;

/**
 * What `piecesOf` splits at, as a regular expression of PostgreSQL. Its own classes of letters and
 * digits depend on its version and on the collation, and differ from those of JavaScript.
 */
export function patternBetweenPieces(): string {
  if (betweenPieces) return betweenPieces;
  const isInPiece = /[\p{L}\p{N}]/u;
  const ranges: string[] = [];
  let first: number | null = null;
  for (let code = 1; code <= lastLetter; code++) {
    const isBetween = !isInPiece.test(String.fromCodePoint(code));
    if (isBetween) first ??= code;
    else if (first !== null) {
      ranges.push(`${escapeOf(first)}-${escapeOf(code - 1)}`);
      first = null;
    }
  }
  ranges.push(`${escapeOf(first ?? lastLetter + 1)}-${escapeOf(lastCharacter)}`);
  betweenPieces = `[${ranges.join("")}]+`;
  return betweenPieces;
}

const escapeOf = (code: number) =>
  code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;

const isNumber = (text: string) => /^[\d\s+/().-]+$/.test(text) && /\d/.test(text);

/**
 * The digits of a text that may be a phone number in any notation: with spaces, or with leading
 * zeros. Null for any other text.
 */
export const phoneDigits = (text: string): string | null =>
  isNumber(text) ? text.replace(/\D/g, "").replace(/^0+(?=\d)/, "") : null;

/** A search: a PostgreSQL tsquery for the index, and the phrases that must also be there. */
type CustomerSearch = { tsquery: string; phrases: string[] };

/** A phrase in quotation marks, or a word. A quotation mark inside a word is a part of it. */
const termPattern = /(?<=^|\s)["“”„]([^"“”„]*)["“”„](?=\s|$)|\S+/gu;

/**
 * All words of the text, each as a prefix, and phrases of whole words; or a phone number. A word
 * such as `example.com` is found at its place in a longer one, too.
 * @returns null if there is nothing to search for
 */
export function parseSearch(tenantId: string, text: string): CustomerSearch | null {
  const phrases: string[] = [];
  const terms = [...text.matchAll(termPattern)].flatMap(([whole, phrase = ""]) => {
    const inPhrase = wordsOf(phrase).flatMap(piecesOf);
    if (inPhrase.length === 0) return wordsOf(whole).map(anywhere);
    if (inPhrase.length > 1) phrases.push(inPhrase.join(" "));
    return inPhrase.map(quoted);
  });
  if (terms.length === 0) return null;
  const tenant = quoted(tenantId.toUpperCase());
  const all = [tenant, ...terms].join(" & ");
  const digits = phoneDigits(text);
  return { tsquery: digits ? `${all} | ${tenant} & ${beginning(digits)}` : all, phrases };
}

/** A word from its start, or the parts that it consists of. */
function anywhere(word: string): string {
  const pieces = piecesOf(word);
  const last = pieces.pop();
  if (last === undefined || last === word) return beginning(word);
  return `(${beginning(word)} | ${[...pieces.map(quoted), beginning(last)].join(" & ")})`;
}

const beginning = (word: string) => `${quoted(word)}:*`;
const quoted = (word: string) => `'${word.replaceAll(/['\\]/g, "$&$&")}'`;
