"use client";

import { useLinkStatus } from "next/link";

/** Inside a link: a bar along its edge while the linked page loads. */
export function LinkPendingBar() {
  const { pending } = useLinkStatus();
  return pending ? (
    <span className="absolute inset-y-0 left-0 w-0.5 animate-pulse bg-accent" aria-hidden="true" />
  ) : null;
}
