import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import type { ExcerptPiece } from "@/lib/platform/excerpt";

export type SearchHit = {
  knowledgeBaseId: string;
  /** Only if the search had several. */
  knowledgeBaseName: string | undefined;
  documentId: string;
  name: string;
  position: number;
  score: number;
  pieces: ExcerptPiece[];
};

/** The parts of documents that match a query, best match first, with the matching words highlighted. */
export function SearchHits({ hits, base }: { hits: SearchHit[]; base: string }) {
  return (
    <>
      <ol className="space-y-3" aria-label="Results">
        {hits.map(({ knowledgeBaseId, knowledgeBaseName, documentId, position, ...hit }) => (
          <li
            key={`${documentId} ${position}`}
            className="rounded-2xl border border-line bg-surface p-5"
          >
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <Link
                href={`${base}/knowledge/${knowledgeBaseId}/documents/${documentId}`}
                className="min-w-0 break-words font-medium hover:underline"
              >
                {hit.name}
              </Link>
              {knowledgeBaseName ? <span dir="auto">{knowledgeBaseName}</span> : null}
              <span className="text-muted text-xs tabular-nums">Score {hit.score.toFixed(3)}</span>
            </div>
            <p className="mt-1.5 whitespace-pre-line break-words">
              {hit.pieces.map(({ text, isHit }, index) => {
                // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position.
                if (!isHit) return <span key={index}>{text}</span>;
                return (
                  <mark
                    // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position.
                    key={index}
                    className="rounded-sm bg-warn-soft px-0.5 font-semibold text-warn"
                  >
                    {text}
                  </mark>
                );
              })}
            </p>
            <div className="mt-1.5 flex flex-wrap items-center gap-x-4">
              <span className="text-muted text-xs">
                Chunk {(position + 1).toLocaleString("en")}
              </span>
              <CopyableId id={documentId} />
            </div>
          </li>
        ))}
      </ol>
      <p className="mt-3 text-muted text-xs">
        Scores are between 0 and 1. Compare them only within one search.
      </p>
    </>
  );
}
