"use client";

import { useContext } from "react";
import { IsStale, StaleNotice } from "./stale-notice";
import { usePeriodicRefresh } from "./use-periodic-refresh";

/**
 * Refreshes the page periodically while its tab is visible. Typed text and open dialogs stay.
 */
export function AutoRefresh({ everyMs }: { everyMs?: number }) {
  // After a failed refresh, the component that shows the last good render retries it.
  const isStale = useContext(IsStale);
  const { isUnreachable } = usePeriodicRefresh({ everyMs, isPaused: isStale });
  return isUnreachable ? <StaleNotice /> : null;
}
