import type { Instrumentation } from "next";
import { edgeMarker } from "@/server/edge/edge-marker";

/** Next calls this once in each of its servers. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  // All web processes derive the same key, because one may render a page and another may receive
  // its actions.
  const { serverActionsKey } = await import("@/lib/auth/server-actions-key");
  process.env.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY ||= serverActionsKey();
  // Deliveries created by pages and actions wake the configured clock.
  const { registerInngestClock } = await import("@/inngest/inngest-clock");
  registerInngestClock();
  // In production only: the development server reloads its modules.
  if (process.env.NODE_ENV !== "production" || process.env[edgeMarker]) return;
  const { attachToNextServer } = await import("@/server/edge/attach-to-next-server");
  attachToNextServer();
}

/** Next writes nothing about these errors itself, because it is started with `quiet`. */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { logPageError } = await import("@/lib/platform/log-page-error");
  logPageError(error, request, context);
};
