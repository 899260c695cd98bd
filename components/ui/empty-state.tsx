import type { ReactNode } from "react";
import { CopyBlock } from "./copy";

type EmptyStateProps = {
  title: string;
  children: ReactNode;
  /** The main action. */
  action?: ReactNode;
  /** The same with the API. */
  curl?: string;
  /** The label of the curl command, if it does something other than the main action. */
  curlLabel?: string;
};

/** Says what belongs here and how to create the first one. */
export function EmptyState({ title, children, action, curl, curlLabel }: EmptyStateProps) {
  return (
    <div className="rounded-2xl border border-line border-dashed bg-surface px-5 py-10 sm:px-10">
      <h2 className="font-semibold text-base">{title}</h2>
      <div className="mt-1 max-w-prose text-muted">{children}</div>
      {action ? <div className="mt-5">{action}</div> : null}
      {curl ? (
        <div className="mt-5 max-w-3xl space-y-1.5">
          <p className="text-muted text-xs">
            {curlLabel ?? (action ? "Or with the API:" : "With the API:")}
          </p>
          <CopyBlock label="Copy the curl command" text={curl} />
        </div>
      ) : null}
    </div>
  );
}
