"use client";

import { useLinkStatus } from "next/link";

/** Inside of a link: a line along its edge while the page it leads to is on its way. */
export function LinkPendingBar() {
  const { pending } = useLinkStatus();
  return pending ? (
    <span className="absolute inset-y-0 left-0 w-0.5 animate-pulse bg-accent" aria-hidden="true" />
  ) : null;
}
