import Link from "next/link";
import { CopyableId } from "@/components/ui/copyable-id";
import type { ExcerptPiece } from "@/lib/platform/excerpt";

export type SearchHit = { documentId: string; name: string; score: number; pieces: ExcerptPiece[] };

/** The documents that match a query, best match first, with the matching words highlighted. */
export function SearchHits({ hits, path }: { hits: SearchHit[]; path: string }) {
  return (
    <ol className="space-y-3" aria-label="Results">
      {hits.map(({ documentId, name, score, pieces }) => (
        <li key={documentId} className="rounded-2xl border border-line bg-surface p-5">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <Link
              href={`${path}/documents/${documentId}`}
              className="min-w-0 break-words font-medium hover:underline"
            >
              {name}
            </Link>
            <span
              className="text-muted text-xs tabular-nums"
              title="From 0 to 1. Compare scores only within one response."
            >
              Score {score.toFixed(3)}
            </span>
          </div>
          <p className="mt-1.5 whitespace-pre-line break-words">
            {pieces.map(({ text, isHit }, index) => {
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
          <div className="mt-1.5">
            <CopyableId id={documentId} />
          </div>
        </li>
      ))}
    </ol>
  );
}
