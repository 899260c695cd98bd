"use client";

import { useEffect, useEffectEvent } from "react";

/** Ctrl or ⌘ with K, which opens and closes a palette. @param onKey returns whether it handled the key. */
export function useCommandKey(onKey: () => boolean): void {
  const handleKey = useEffectEvent(onKey);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && handleKey())
        event.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
