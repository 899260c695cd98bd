"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";

const slowestMs = 30_000;
// Of this tab, not of a component: an error page that fails again is a new one, and would begin
// again at the shortest wait.
let failuresInARow = 0;
let lastFailureAt = 0;

/** 2 seconds, 4, 8, … 30; from the start again once nothing has failed for a while. */
function waitAfterFailureMs(): number {
  const now = Date.now();
  failuresInARow = now - lastFailureAt < 2 * slowestMs ? failuresInARow + 1 : 0;
  lastFailureAt = now;
  return Math.min(2_000 * 2 ** failuresInARow, slowestMs);
}

type PeriodicRefresh = {
  everyMs?: number;
  /** What stands here came out wrong: the waits grow. */
  isFailing?: boolean;
  isPaused?: boolean;
  /** What is to happen together with the new page. */
  reset?: () => void;
};

/**
 * Draws the page anew again and again, while it is looked at. The next time is counted from when
 * the last one was done, so that a slow server is not asked faster than it answers. And it is asked
 * for a sign of life first: where a page cannot be had, Next would leave the one that is open for
 * the browser's error page.
 */
export function usePeriodicRefresh({
  everyMs = 3_000,
  isFailing = false,
  isPaused = false,
  reset,
}: PeriodicRefresh) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [isVisible, setIsVisible] = useState(true);
  // Looks that led to nothing, so that each is followed by another.
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
    const timer = setTimeout(
      async () => {
        const isThere = await isAlive();
        if (isLeft) return;
        setMisses((before) => (isThere ? 0 : before + 1));
        if (!isThere) return;
        startTransition(() => {
          router.refresh();
          reset?.();
        });
      },
      isFailing || misses > 0 ? waitAfterFailureMs() : everyMs,
    );
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [router, everyMs, isFailing, isPaused, isVisible, isPending, misses, reset]);

  return { isUnreachable: misses > 0 };
}

async function isAlive(): Promise<boolean> {
  return fetch("/health", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}
