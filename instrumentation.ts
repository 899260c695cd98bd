import { edgeMarker } from "@/server/edge/edge-marker";

/** Called by Next once for each of its servers. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  // Every web process derives the same key, because a page of one may be sent back to another.
  const { serverActionsKey } = await import("@/lib/auth/server-actions-key");
  process.env.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY ||= serverActionsKey();
  // Deliveries that pages and actions cause wake the configured clock.
  const { registerInngestClock } = await import("@/inngest/inngest-clock");
  registerInngestClock();
  // Only there: the development server reloads what it serves.
  if (process.env.NODE_ENV !== "production" || process.env[edgeMarker]) return;
  const { attachToNextServer } = await import("@/server/edge/attach-to-next-server");
  attachToNextServer();
}
