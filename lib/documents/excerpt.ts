export type ExcerptPiece = { text: string; isHit: boolean };

const characters: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** A search result's `excerpt` as plain text, in pieces: for a page that writes markup itself and takes none from elsewhere. */
export function excerptPieces(excerpt: string): ExcerptPiece[] {
  return excerpt
    .split(/<mark>(.*?)<\/mark>/s)
    .map((text, index) => ({
      text: text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? entity),
      isHit: index % 2 === 1,
    }))
    .filter(({ text }) => text !== "");
}
