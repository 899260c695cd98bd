"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";

/**
 * Draws the page anew from time to time, while it is looked at. What is typed or open in it stays. The next time is
 * counted from when the last one was done, so that a slow server is not asked faster than it answers. And it is asked for
 * a sign of life first: where a page cannot be had, Next would leave the one that is open for the browser's error page.
 */
export function Live({ everyMs = 3_000 }: { everyMs?: number }) {
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: a miss is a reason to wait and look again.
  useEffect(() => {
    if (!isVisible || isPending) return;
    let isLeft = false;
    const timer = setTimeout(async () => {
      const isThere = await isAlive();
      if (isLeft) return;
      if (isThere) startTransition(() => router.refresh());
      else setMisses((before) => before + 1);
    }, everyMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [router, everyMs, isVisible, isPending, misses]);

  return null;
}

async function isAlive(): Promise<boolean> {
  return fetch("/health", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}
