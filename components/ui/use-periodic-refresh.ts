"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";

const slowestMs = 30_000;
const healthTimeoutMs = 10_000;
// Module state, not component state: an error page that fails again is a new component, which would
// restart at the shortest wait.
let failuresInARow = 0;
let lastFailureAt = 0;

/** 2 seconds, 4, 8, … 30. Restarts once nothing has failed for a while. */
function waitAfterFailureMs(): number {
  const now = Date.now();
  failuresInARow = now - lastFailureAt < 2 * slowestMs ? failuresInARow + 1 : 0;
  lastFailureAt = now;
  return Math.min(2_000 * 2 ** failuresInARow, slowestMs);
}

type PeriodicRefresh = {
  everyMs?: number;
  /** The last render failed, so the waits grow. */
  isFailing?: boolean;
  isPaused?: boolean;
  /** Waits while a dialog is open, if what is refreshed may no longer have it. */
  waitsForDialogs?: boolean;
  /** Runs together with the refresh. */
  reset?: () => void;
};

/**
 * Refreshes the page periodically while its tab is visible. The wait starts when the last refresh
 * ends, so requests never pile up at a slow server. A health check comes first: if the server is
 * down, a refresh would replace the open page with the browser's error page.
 */
export function usePeriodicRefresh({
  everyMs = 3_000,
  isFailing = false,
  isPaused = false,
  waitsForDialogs = false,
  reset,
}: PeriodicRefresh) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [isVisible, setIsVisible] = useState(true);
  // Failed health checks. A state change starts the next one.
  const [misses, setMisses] = useState(0);

  useEffect(() => {
    const follow = () => setIsVisible(document.visibilityState === "visible");
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => document.removeEventListener("visibilitychange", follow);
  }, []);

  useEffect(() => {
    if (!isVisible || isPending || isPaused) return;
    let isLeft = false;
    let timer: ReturnType<typeof setTimeout>;
    function refreshAfter(ms: number) {
      timer = setTimeout(async () => {
        const isThere = await isAlive();
        if (isLeft) return;
        setMisses((before) => (isThere ? 0 : before + 1));
        if (!isThere) return;
        if (waitsForDialogs && document.querySelector('[role="dialog"]'))
          return refreshAfter(everyMs);
        startTransition(() => {
          router.refresh();
          reset?.();
        });
      }, ms);
    }
    refreshAfter(isFailing || misses > 0 ? waitAfterFailureMs() : everyMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [router, everyMs, isFailing, isPaused, waitsForDialogs, isVisible, isPending, misses, reset]);

  return { isUnreachable: misses > 0 };
}

async function isAlive(): Promise<boolean> {
  // It has a timeout, because a check that never ends would stop all further refreshes.
  const signal = AbortSignal.timeout(healthTimeoutMs);
  return fetch("/health", { cache: "no-store", signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
