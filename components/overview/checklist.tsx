import { Check } from "lucide-react";
import type { ReactNode } from "react";

export type Step = { title: string; isDone: boolean; children: ReactNode };

/** What to do first, in order. The step that is next stands open; what is done says what was seen of it. */
export function Checklist({ steps }: { steps: Step[] }) {
  const next = steps.findIndex(({ isDone }) => !isDone);
  const doneCount = steps.filter(({ isDone }) => isDone).length;
  return (
    <section className="mb-6 rounded-2xl border border-line bg-surface" aria-labelledby="checklist">
      <div className="flex items-center justify-between gap-4 border-line border-b px-5 py-4">
        <h2 id="checklist" className="font-semibold text-base">
          From here to live
        </h2>
        <p className="text-muted tabular-nums" aria-live="polite">
          {doneCount} of {steps.length} done
        </p>
      </div>
      <ol className="divide-y divide-line">
        {steps.map(({ title, isDone, children }, index) => (
          <li key={title} className="flex gap-4 px-5 py-4">
            <span
              className={`mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-full text-xs ${
                isDone ? "bg-good-soft text-good" : index === next ? "bg-primary text-on-primary" : "border border-line-strong text-muted"
              }`}
              aria-hidden="true"
            >
              {isDone ? <Check className="size-3.5" /> : index + 1}
            </span>
            <div className="min-w-0 flex-1 space-y-3">
              <h3 className={isDone || index === next ? "font-medium" : "text-muted"}>
                {title}
                <span className="sr-only">{isDone ? ", done" : ", to do"}</span>
              </h3>
              {isDone || index === next ? children : null}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
