"use client";

import { useContext } from "react";
import { IsStale, StaleNotice } from "./stale-notice";
import { usePeriodicRefresh } from "./use-periodic-refresh";

type Props = {
  everyMs?: number;
  /** Waits while a dialog is open, for a page that may no longer have it after the refresh. */
  waitsForDialogs?: boolean;
};

/**
 * Refreshes the page periodically while its tab is visible. Typed text and dialogs that the page still
 * has stay.
 */
export function AutoRefresh({ everyMs, waitsForDialogs }: Props) {
  // After a failed refresh, the component that shows the last good render retries it.
  const isStale = useContext(IsStale);
  const { isUnreachable } = usePeriodicRefresh({ everyMs, isPaused: isStale, waitsForDialogs });
  return isUnreachable ? <StaleNotice /> : null;
}
