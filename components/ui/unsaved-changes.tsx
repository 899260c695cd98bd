"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { createContext, type ReactNode, use, useEffect, useRef, useState } from "react";
import { guardPage } from "./leave-safely";
import { refuseOffline } from "./refuse-offline";

// Loaded on demand, because most forms are saved.
const DiscardDialog = dynamic(
  () => import("./discard-dialog").then((module) => module.DiscardDialog),
  { ssr: false },
);

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

type LeaveGuardProps = {
  hasUnsaved: boolean;
  title?: string;
  question?: string;
  discard?: string;
  keep?: string;
};

/**
 * Shares the unsaved state with the provider, and asks before the user leaves: with a link, the
 * browser's Back and Forward, the command palette, or by closing the tab.
 */
export function LeaveGuard({
  hasUnsaved,
  title = "Leave without saving?",
  question = "Your changes are not saved.",
  ...buttons
}: LeaveGuardProps) {
  const router = useRouter();
  const { setHasUnsaved } = use(UnsavedContext);
  // What the user wants to do instead. Its dialog is loaded when it first opens, and stays to close
  // with its transition.
  const [leave, setLeave] = useState<{ run: () => void } | null>(null);
  const [wasAsked, setWasAsked] = useState(false);
  const isLeaving = useRef(false);
  // This page in the history.
  const entry = useRef<{ state: unknown; url: string }>(undefined);

  useEffect(() => {
    entry.current = { state: window.history.state, url: window.location.href };
  });

  useEffect(() => {
    setHasUnsaved(hasUnsaved);
    return () => setHasUnsaved(false);
  }, [hasUnsaved, setHasUnsaved]);

  useEffect(() => {
    if (!hasUnsaved) return;
    isLeaving.current = false;
    const askFirst = (run: () => void) => {
      setWasAsked(true);
      setLeave({ run });
    };
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    const ask = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      const leavesHere =
        link instanceof HTMLAnchorElement &&
        link.target !== "_blank" &&
        link.origin === window.location.origin &&
        !event.metaKey &&
        !event.ctrlKey &&
        !event.shiftKey &&
        link.pathname !== window.location.pathname;
      if (!leavesHere) return;
      event.preventDefault();
      event.stopPropagation();
      if (refuseOffline()) return;
      askFirst(() => router.push(`${link.pathname}${link.search}${link.hash}`));
    };
    const here = window.location.pathname;
    const onStep = (event: PopStateEvent) => {
      if (isLeaving.current || window.location.pathname === here) return;
      // The router must not see it. The page gets an entry of its own again, so that one step back
      // leads to where the user wanted to go.
      event.stopImmediatePropagation();
      window.history.pushState(entry.current?.state, "", entry.current?.url);
      askFirst(() => window.history.back());
    };
    window.addEventListener("beforeunload", hold);
    // Capture, so that it runs before the link's own handler.
    document.addEventListener("click", ask, { capture: true });
    const removeGuard = guardPage({ ask: askFirst, onStep });
    return () => {
      removeGuard();
      window.removeEventListener("beforeunload", hold);
      document.removeEventListener("click", ask, { capture: true });
    };
  }, [hasUnsaved, router]);

  return wasAsked ? (
    <DiscardDialog
      isOpen={leave !== null}
      title={title}
      question={question}
      {...buttons}
      onKeep={() => setLeave(null)}
      onDiscard={() => {
        isLeaving.current = true;
        setLeave(null);
        leave?.run();
      }}
    />
  ) : null;
}
