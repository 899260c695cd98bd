"use client";

import { useContext } from "react";
import { IsStale, StaleNotice } from "./stale-notice";
import { usePeriodicRefresh } from "./use-periodic-refresh";

/**
 * Draws the page anew from time to time, while it is looked at. What is typed or open in it stays.
 */
export function AutoRefresh({ everyMs }: { everyMs?: number }) {
  // A page that could not be drawn anew is tried again by whoever keeps the old one.
  const isStale = useContext(IsStale);
  const { isUnreachable } = usePeriodicRefresh({ everyMs, isPaused: isStale });
  return isUnreachable ? <StaleNotice /> : null;
}
