"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Draws the page anew from time to time, while it is looked at. What is typed or open in it stays. */
export function Live({ everyMs = 3_000 }: { everyMs?: number }) {
  const router = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const follow = () => {
      clearInterval(timer);
      timer = document.visibilityState === "visible" ? setInterval(() => router.refresh(), everyMs) : undefined;
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", follow);
    };
  }, [router, everyMs]);
  return null;
}
