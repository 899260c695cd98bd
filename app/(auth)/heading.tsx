import type { ReactNode } from "react";

/** The title of a page of this group, and what the user does there. */
export function Heading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="space-y-1">
      <h1 className="break-words font-semibold text-2xl tracking-tight">{title}</h1>
      <p className="wrap-anywhere text-muted">{children}</p>
    </div>
  );
}
