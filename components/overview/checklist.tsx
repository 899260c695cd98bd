import { Check } from "lucide-react";
import type { ReactNode } from "react";

export type Step = { title: string; isDone: boolean; children: ReactNode };

/** The first steps, in order. Collapses to one line when all are done. */
export function Checklist({ steps }: { steps: Step[] }) {
  const doneCount = steps.filter(({ isDone }) => isDone).length;
  const title = (
    <h2 id="checklist" className="font-semibold text-base">
      Getting started
    </h2>
  );
  const box = "mb-6 rounded-2xl border border-line bg-surface";
  if (doneCount === steps.length) {
    return (
      <details className={`group ${box}`}>
        <summary className="flex list-none items-center gap-4 px-5 py-3 [&::-webkit-details-marker]:hidden">
          <StepMarker isDone />
          {title}
          <span className="text-muted">All done</span>
          <span className="ml-auto text-accent group-open:hidden">Show</span>
          <span className="ml-auto hidden text-accent group-open:inline">Hide</span>
        </summary>
        <div className="border-line border-t">
          <Steps steps={steps} />
        </div>
      </details>
    );
  }
  return (
    <section className={box} aria-labelledby="checklist">
      <div className="flex items-center justify-between gap-4 border-line border-b px-5 py-4">
        {title}
        <p className="text-muted tabular-nums" aria-live="polite">
          {doneCount} of {steps.length} done
        </p>
      </div>
      <Steps steps={steps} />
    </section>
  );
}

/** The next step is open; completed steps show their result. */
function Steps({ steps }: { steps: Step[] }) {
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol className="divide-y divide-line">
      {steps.map(({ title, isDone, children }, index) => (
        <li key={title} className="flex gap-4 px-5 py-4">
          <StepMarker isDone={isDone} isNext={index === next}>
            {index + 1}
          </StepMarker>
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
  );
}

function StepMarker({
  isDone,
  isNext = false,
  children,
}: {
  isDone: boolean;
  isNext?: boolean;
  children?: ReactNode;
}) {
  return (
    <span
      className={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs ${
        isDone
          ? "bg-good-soft text-good"
          : isNext
            ? "bg-primary text-on-primary"
            : "border border-line-strong text-muted"
      }`}
      aria-hidden="true"
    >
      {isDone ? <Check className="size-3.5" /> : children}
    </span>
  );
}
