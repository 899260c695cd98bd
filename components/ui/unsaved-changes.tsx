"use client";

import { createContext, type ReactNode, use, useEffect, useState } from "react";

type Unsaved = { hasUnsaved: boolean; setHasUnsaved: (hasUnsaved: boolean) => void };

const UnsavedContext = createContext<Unsaved>({ hasUnsaved: false, setHasUnsaved: () => {} });

/**
 * Round a form and what stands outside of it: whoever publishes has to know that something was
 * typed and not saved.
 */
export function UnsavedChangesProvider({ children }: { children: ReactNode }) {
  const [hasUnsaved, setHasUnsaved] = useState(false);
  return <UnsavedContext value={{ hasUnsaved, setHasUnsaved }}>{children}</UnsavedContext>;
}

export const useHasUnsavedChanges = () => use(UnsavedContext).hasUnsaved;

/**
 * Tells the others of it, and asks before one leaves, by a link or by the browser, which has a
 * question of its own.
 */
export function useWarnBeforeLeaving(
  hasUnsaved: boolean,
  question = "What you typed is not saved. Leave without it?",
): void {
  const { setHasUnsaved } = use(UnsavedContext);
  useEffect(() => {
    setHasUnsaved(hasUnsaved);
    return () => setHasUnsaved(false);
  }, [hasUnsaved, setHasUnsaved]);

  useEffect(() => {
    if (!hasUnsaved) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    const ask = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      const opensHere =
        link instanceof HTMLAnchorElement &&
        link.target !== "_blank" &&
        !event.metaKey &&
        !event.ctrlKey &&
        !event.shiftKey;
      if (!opensHere || link.pathname === window.location.pathname || window.confirm(question))
        return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("beforeunload", hold);
    // Before the link itself hears of it.
    document.addEventListener("click", ask, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", hold);
      document.removeEventListener("click", ask, { capture: true });
    };
  }, [hasUnsaved, question]);
}
