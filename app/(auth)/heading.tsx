import type { ReactNode } from "react";
import { ArrivalHeading } from "@/components/ui/arrival-heading";

/** The title of a page of this group, and what the user does there. */
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="space-y-1">
      <ArrivalHeading
        // A form can replace its page with another one under the same URL.
        key={title}
        level="h1"
        className="break-words font-semibold text-2xl tracking-tight"
      >
        {title}
      </ArrivalHeading>
      {children ? <p className="wrap-anywhere text-muted">{children}</p> : null}
    </div>
  );
}
