import { refuseOffline } from "./refuse-offline";

type Guard = {
  /** Asks the user, and runs `leave` if they agree. */
  ask: (leave: () => void) => void;
  /** After a step in the browser's history. Can stop the event before the router sees it. */
  onStep: (event: PopStateEvent) => void;
};

/** That of the form with unsaved changes. A page has at most one such form. */
let guard: Guard | null = null;

/** @returns a function that removes the guard */
export function guardPage(added: Guard): () => void {
  guard = added;
  return () => {
    if (guard === added) guard = null;
  };
}

/**
 * Runs `leave`, which opens another page. If a form has unsaved changes, the user is asked first.
 * Without a connection, the page stays.
 * Links and the browser's buttons need no call: `LeaveGuard` listens to them.
 */
export function leaveSafely(leave: () => void): void {
  if (refuseOffline()) return;
  if (guard) guard.ask(leave);
  else leave();
}

/**
 * Must run before the router starts: browsers call the listeners of `popstate` in the order in which
 * they were added, and a guard is added later.
 */
export function listenToSteps(): void {
  window.addEventListener("popstate", (event) => guard?.onStep(event));
}
