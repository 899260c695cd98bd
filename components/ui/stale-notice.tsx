"use client";

import { createContext } from "react";

/** Whether the surrounding content failed to refresh and is out of date. */
export const IsStale = createContext(false);

export function StaleNotice() {
  return (
    <p
      role="status"
      className="fixed top-[calc(var(--bar,0rem)+4rem)] left-1/2 z-20 -translate-x-1/2 whitespace-nowrap rounded-lg border border-warn/40 bg-warn-soft px-3 py-2 text-warn shadow-sm md:top-[calc(var(--bar,0rem)+0.75rem)]"
    >
      Not up to date. Trying again…
    </p>
  );
}
