/** PostgreSQL accepts no word above 2 KB, and no one types a longer one than this. */
const longestWord = 100;

/** Letters that Unicode does not decompose, as people type them on another keyboard. */
const plainLetters: Record<string, string> = {
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ħ: "h",
  ŧ: "t",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ς: "σ",
};
const otherLetters = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");

/**
 * Text without case and accents: ä as a, ß as ss, Ł as l, full-width digits as plain ones. The same
 * on every PostgreSQL, because it needs none of its extensions. The result can be 18 times as long,
 * so bound the length first.
 */
export const fold = (text: string): string =>
  isPlain.test(text) ? text.toLowerCase() : foldMarks(text);

/** Most words have nothing but their case removed. */
const isPlain = /^[ -~]*$/;

const foldMarks = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    // Upper case first: it knows that ß is SS.
    .toUpperCase()
    .toLowerCase()
    .replace(otherLetters, (letter) => plainLetters[letter] ?? letter);

export const cutWord = (word: string): string =>
  word.length <= longestWord ? word : [...word].slice(0, longestWord).join("");

/** Scripts that are written without spaces. Each of their characters counts as a word. */
const dense =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const wordPattern = new RegExp(`[${dense}]\\p{M}*|(?:(?![${dense}])[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** A word as it is compared, and where it is in the text, in UTF-16 code units. */
export type Token = { word: string; start: number; end: number };

/** The words of a text: runs of letters and digits. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(wordPattern)].flatMap((match) => {
    const word = cutWord(fold(match[0]).replace(/[^\p{L}\p{N}]+/gu, ""));
    return word === "" ? [] : [{ word, start: match.index, end: match.index + match[0].length }];
  });
}

export const wordsIn = (text: string): string[] => tokensOf(text).map(({ word }) => word);

/**
 * What a search looks for: words next to each other. Without quotation marks, the last one may be
 * the start of a word.
 */
export type Term = { words: string[]; isPrefix: boolean };

export const maximumTerms = 10;
const maximumWords = 50;

/** Keyboards of phones write typographic quotation marks. */
const straightQuotes = (q: string) => q.replace(/[“”„‟]/g, '"');

/**
 * The terms of a query: its words, and phrases in quotation marks.
 * @returns what must be true of the query if it cannot be searched for
 */
export function parseQuery(q: string): { terms: Term[] } | { problem: string } {
  const text = straightQuotes(q);
  if (text.split('"').length % 2 === 0) return { problem: "must close its quotation marks" };
  const terms = [...text.matchAll(/"([^"]*)"|[^\s"]+/g)].flatMap(([whole, phrase]): Term[] => {
    const words = wordsIn(phrase ?? whole);
    return words.length === 0 ? [] : [{ words, isPrefix: phrase === undefined }];
  });
  if (terms.length === 0) return { problem: "must have at least one letter or digit" };
  if (terms.length > maximumTerms)
    return { problem: `must have at most ${maximumTerms} words and phrases` };
  if (terms.reduce((sum, { words }) => sum + words.length, 0) > maximumWords)
    return { problem: `must have at most ${maximumWords} words in all` };
  return { terms };
}

/** For a box in which someone is still typing. */
export const closeQuotes = (q: string): string =>
  straightQuotes(q).split('"').length % 2 === 0 ? `${q}"` : q;

export type Range = [start: number, end: number];

/** Where the terms are in a text, without overlaps. */
export function rangesOf(text: string, terms: Term[]): Range[] {
  const tokens = tokensOf(text);
  const found = terms.flatMap((term) =>
    tokens.flatMap((_, first): Range[] => {
      const last = tokens[first + term.words.length - 1];
      const start = tokens[first]?.start;
      return start !== undefined && last && occursAt(tokens, first, term)
        ? [[start, last.end]]
        : [];
    }),
  );
  const merged: Range[] = [];
  for (const [start, end] of found.toSorted((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before && start <= before[1]) before[1] = Math.max(before[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

const occursAt = (tokens: Token[], first: number, { words, isPrefix }: Term): boolean =>
  words.every((word, index) => {
    const found = tokens[first + index]?.word;
    const isLast = index === words.length - 1;
    return isLast && isPrefix ? found?.startsWith(word) : found === word;
  });
