"use client";

import { useEffect, useEffectEvent } from "react";

/** Ctrl or ⌘ with K, which opens and closes a palette. @param onKey says whether it was meant. */
export function useCommandKey(onKey: () => boolean): void {
  const answer = useEffectEvent(onKey);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && answer())
        event.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
