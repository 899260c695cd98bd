import type { ExternalToast } from "sonner";

type Library = typeof import("sonner").toast;
type Show = (message: string, options?: ExternalToast) => void;

let ready: (library: Library) => void = () => {};
const library = new Promise<Library>((resolve) => {
  ready = resolve;
});

/** From now on messages are shown, starting with those that are waiting. */
export function toastsAreReady(loaded: Library): void {
  ready(loaded);
}

function show(kind: "success" | "error"): Show {
  return async (message, options) => {
    (await library)[kind](message, options);
  };
}

/** Short messages about what was done. The library is loaded after the page. */
export const toast = { success: show("success"), error: show("error") };
