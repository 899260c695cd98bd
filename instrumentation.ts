import { edgeMark } from "@/server/edge/edge-marker";

/** Called by Next once for each of its servers. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  // Every web process derives the same key, because a page of one may be sent back to another.
  const { actionsKey } = await import("@/lib/auth/server-actions-key");
  process.env.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY ||= actionsKey();
  // Deliveries that pages and actions cause wake the configured clock.
  const { registerClock } = await import("@/inngest/inngest-clock");
  registerClock();
  // Only there: the development server reloads what it serves.
  if (process.env.NODE_ENV !== "production" || process.env[edgeMark]) return;
  const { adoptNextServer } = await import("@/server/edge/attach-to-next-server");
  adoptNextServer();
}
