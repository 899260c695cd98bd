"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/**
 * Draws the page anew from time to time, while it is looked at. What is typed or open in it stays. The server is asked for
 * a sign of life first: where a page cannot be had, Next would leave the one that is open for the browser's error page.
 */
export function Live({ everyMs = 3_000 }: { everyMs?: number }) {
  const router = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const refresh = async () => {
      const isThere = await fetch("/health", { cache: "no-store" }).then(
        ({ ok }) => ok,
        () => false,
      );
      // The page may have been left meanwhile.
      if (isThere && timer) router.refresh();
    };
    const follow = () => {
      clearInterval(timer);
      timer = document.visibilityState === "visible" ? setInterval(refresh, everyMs) : undefined;
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      clearInterval(timer);
      timer = undefined;
      document.removeEventListener("visibilitychange", follow);
    };
  }, [router, everyMs]);
  return null;
}
