export type Chunk = { position: number; text: string };

/** The chunks of a document, which searches scan and agents receive. */
export function ChunkList({ chunks }: { chunks: Chunk[] }) {
  return (
    <ol className="space-y-3">
      {chunks.map(({ position, text }) => (
        <li key={position} className="rounded-lg border border-line">
          <h3 className="flex justify-between gap-4 border-line border-b bg-sunken px-3 py-1.5 font-normal text-muted text-xs">
            <span>Chunk {(position + 1).toLocaleString("en")}</span>
            <span className="tabular-nums">{text.length.toLocaleString("en")} characters</span>
          </h3>
          <p className="whitespace-pre-wrap break-words px-3 py-2.5">{text}</p>
        </li>
      ))}
    </ol>
  );
}
