"use client";

import { createContext, type ReactNode, use, useEffect, useState } from "react";

type Unsaved = { hasUnsaved: boolean; setHasUnsaved: (hasUnsaved: boolean) => void };

const UnsavedContext = createContext<Unsaved>({ hasUnsaved: false, setHasUnsaved: () => {} });

/**
 * Wraps a form and the controls outside it, which need to know about unsaved changes: for example, before publishing.
 */
export function UnsavedChangesProvider({ children }: { children: ReactNode }) {
  const [hasUnsaved, setHasUnsaved] = useState(false);
  return <UnsavedContext value={{ hasUnsaved, setHasUnsaved }}>{children}</UnsavedContext>;
}

export const useHasUnsavedChanges = () => use(UnsavedContext).hasUnsaved;

/**
 * Shares the unsaved state with the provider, and asks before the user follows a link or closes the tab.
 */
export function useWarnBeforeLeaving(
  hasUnsaved: boolean,
  question = "You have unsaved changes. Leave and discard them?",
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
    // Capture, so that it runs before the link's own handler.
    document.addEventListener("click", ask, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", hold);
      document.removeEventListener("click", ask, { capture: true });
    };
  }, [hasUnsaved, question]);
}
