import type { ExternalToast } from "sonner";
import { focusHeading } from "./focus-heading";

type Library = typeof import("sonner").toast;
type Action = { label: string; onClick: () => void };
type Show = (
  message: string,
  options?: Omit<ExternalToast, "action"> & { action?: Action },
) => void;

let ready: (library: Library) => void = () => {};
const library = new Promise<Library>((resolve) => {
  ready = resolve;
});

/** From now on messages are shown, starting with those that are waiting. */
export function toastsAreReady(loaded: Library): void {
  ready(loaded);
}

function show(kind: "success" | "error"): Show {
  return async (message, { action, ...options } = {}) => {
    (await library)[kind](message, { ...options, ...(action && { action: leaving(action) }) });
  };
}

/** The button disappears when it is pressed. The focus returns to where it was before. */
function leaving({ label, onClick }: Action): ExternalToast["action"] {
  return {
    label,
    onClick: ({ currentTarget }) => {
      onClick();
      // The library then focuses what had the focus before, if it is still in the page.
      currentTarget.blur();
      if (document.activeElement === document.body)
        focusHeading(document.querySelector<HTMLElement>("main h1"));
    },
  };
}

/** Short messages about what was done. The library is loaded after the page. */
export const toast = { success: show("success"), error: show("error") };
