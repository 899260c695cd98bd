/**
 * Plain text and the ranges of the hits in it: from a hit's first UTF-16 code unit to the one after
 * its last.
 */
export type Excerpt = { text: string; ranges: [start: number, end: number][] };

/** An excerpt of our own, or one of an API response. */
type AnyExcerpt = { text: string; ranges: readonly (readonly number[])[] };

export type ExcerptPiece = { text: string; isHit: boolean };

/** The text in pieces, for pages that render the markup themselves. */
export function excerptPieces({ text, ranges }: AnyExcerpt): ExcerptPiece[] {
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

/** The most characters before the first hit, where only the start of a text is visible. */
const longestLead = 12;

/** The excerpt from shortly before its first hit, at the start of a word if there is one. */
export function fromFirstHit({ text, ranges }: AnyExcerpt): AnyExcerpt {
  const first = ranges[0]?.[0] ?? 0;
  if (first <= longestLead) return { text, ranges };
  const lead = text.slice(first - longestLead, first);
  // Without a space, the hit itself is the start: half of a surrogate pair is never shown.
  const start = first - longestLead + (lead.search(/\s\S/) + 1 || longestLead);
  const mark = "… ";
  const shift = mark.length - start;
  return {
    text: mark + text.slice(start),
    ranges: ranges.map((range) => range.map((position) => position + shift)),
  };
}
