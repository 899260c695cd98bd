import { toast } from "./toast";

/**
 * Without a connection, the router would replace the open page, with what was typed in it, with the
 * browser's error page.
 * @returns true if the browser is offline, after showing a toast
 */
export function refuseOffline(): boolean {
  if (navigator.onLine) return false;
  toast.error("You are offline. Try again when you are connected.", { id: "offline" });
  return true;
}
