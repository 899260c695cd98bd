/**
 * Plain text and the ranges of the hits in it: from a hit's first UTF-16 code unit to the one after
 * its last.
 */
export type Excerpt = { text: string; ranges: [start: number, end: number][] };

export type ExcerptPiece = { text: string; isHit: boolean };

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
