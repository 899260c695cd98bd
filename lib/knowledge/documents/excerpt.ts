import { hitEnd, hitStart } from "./service.sql";

/**
 * Plain text and the ranges of the hits in it: from a hit's first UTF-16 code unit to the one after
 * its last.
 */
export type Excerpt = { text: string; ranges: [start: number, end: number][] };

export type ExcerptPiece = { text: string; isHit: boolean };

/** Parses text with PostgreSQL's hit marks, and removes the marks. */
export function readMarked(marked: string): Excerpt {
  const ranges: Excerpt["ranges"] = [];
  let text = "";
  for (const [index, part] of marked.split(hitStart).entries()) {
    const [hit = "", rest = ""] = index === 0 ? ["", part] : part.split(hitEnd);
    if (hit !== "") ranges.push([text.length, text.length + hit.length]);
    text += hit + rest;
  }
  return { text, ranges };
}

/** The text in pieces, for pages that render the markup themselves. */
export function excerptPieces({
  text,
  ranges,
}: {
  text: string;
  ranges: readonly (readonly number[])[];
}): ExcerptPiece[] {
  const pieces: ExcerptPiece[] = [];
  let end = 0;
  for (const [from = 0, to = 0] of ranges) {
    pieces.push(
      { text: text.slice(end, from), isHit: false },
      { text: text.slice(from, to), isHit: true },
    );
    end = to;
  }
  pieces.push({ text: text.slice(end), isHit: false });
  return pieces.filter((piece) => piece.text !== "");
}

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");

/** The same as HTML, for web pages that accept only HTML. */
export const toHtml = (excerpt: Excerpt) =>
  excerptPieces(excerpt)
    .map(({ text, isHit }) => (isHit ? `<mark>${escaped(text)}</mark>` : escaped(text)))
    .join("");
