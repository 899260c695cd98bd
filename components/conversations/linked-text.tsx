/** Without what usually follows a URL in a sentence. */
const urlPattern = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}]/g;

/** Plain text whose URLs are links. They open in a new tab, without a referrer. */
export function LinkedText({ text }: { text: string }) {
  const pieces: { at: number; text: string; isUrl: boolean }[] = [];
  let end = 0;
  for (const { 0: url, index } of text.matchAll(urlPattern)) {
    pieces.push({ at: end, text: text.slice(end, index), isUrl: false });
    pieces.push({ at: index, text: url, isUrl: true });
    end = index + url.length;
  }
  pieces.push({ at: end, text: text.slice(end), isUrl: false });
  return pieces.map((piece) =>
    piece.isUrl ? (
      <a
        key={piece.at}
        href={piece.text}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="break-all underline underline-offset-2"
      >
        {piece.text}
      </a>
    ) : (
      piece.text
    ),
  );
}
