import { Fragment } from "react";
import type { ComparedPart, FieldChange, Piece } from "@/lib/agents/compare-contents";
import { fieldLabels } from "./field-labels";

/**
 * The differences between two versions of an agent, field by field. Each color is combined with a
 * sign.
 */
export function ContentDiff({ changes, same }: { changes: FieldChange[]; same: string }) {
  if (changes.length === 0) return <p className="text-muted">{same}</p>;
  return (
    <dl className="space-y-4">
      {changes.map(({ field, parts }) => (
        <div key={field}>
          <dt className="mb-1.5 font-medium">{fieldLabels[field]}</dt>
          <dd className="overflow-hidden rounded-lg border border-line font-mono text-xs leading-5">
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position.
              <Part key={index} part={part} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const pieceStyles: Record<
  Piece["kind"],
  { line: string; word: string; sign: string; spoken: string }
> = {
  same: { line: "", word: "", sign: " ", spoken: "" },
  removed: {
    line: "bg-danger-soft",
    word: "rounded-sm bg-danger/25 font-semibold",
    sign: "−",
    spoken: "Removed: ",
  },
  added: {
    line: "bg-good-soft",
    word: "rounded-sm bg-good/25 font-semibold",
    sign: "+",
    spoken: "Added: ",
  },
};

function Part({ part }: { part: ComparedPart }) {
  if (part.kind === "omitted") {
    return (
      <div className="bg-sunken px-3 py-0.5 text-muted">
        {part.count === 1 ? "1 more line" : `${part.count.toLocaleString("en")} more lines`}
      </div>
    );
  }
  const { line, word, sign, spoken } = pieceStyles[part.kind];
  // If the whole line changed, do not highlight all of its words.
  const isMixed = part.pieces.length > 1;
  return (
    <div className={`flex min-h-5.5 ${line}`}>
      <span className="w-7 shrink-0 select-none py-px text-center" aria-hidden="true">
        {sign}
      </span>
      <span className="min-w-0 whitespace-pre-wrap break-words py-px pr-3">
        {spoken ? <span className="sr-only">{spoken}</span> : null}
        {part.pieces.map(({ kind, text }, index) => {
          const isEmphatic = isMixed && kind !== "same";
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position.
          if (!isEmphatic) return <Fragment key={index}>{text}</Fragment>;
          const Change = kind === "removed" ? "del" : "ins";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <Change key={index} className={`no-underline ${word}`}>
              {text}
            </Change>
          );
        })}
      </span>
    </div>
  );
}
