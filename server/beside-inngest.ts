import { acceptsEvents } from "@/inngest/client";
import { registerInngestClock } from "@/inngest/inngest-clock";
import { overdueSeconds, wakeOverdueDeliveries } from "@/inngest/wake-overdue-deliveries";
import { stopAttempting } from "@/lib/deliveries/engine/stop-attempting";
import { env } from "@/lib/platform/env";

/**
 * While Inngest accepts events, the worker sends a delivery by itself only when it is this late:
 * Inngest then does not run the functions, for example because the app is not registered.
 */
const lastResortSeconds = 600;

/**
 * What the worker does with JOBS=inngest: it wakes Inngest for what is overdue, and sends it by
 * itself while Inngest does not respond. With INNGEST_FUNCTIONS=worker, Inngest runs its functions
 * in this process.
 */
export async function startBesideInngest() {
  registerInngestClock();
  const disconnect =
    env().INNGEST_FUNCTIONS === "worker"
      ? (await import("@/inngest/connect")).connectToInngest()
      : null;
  return {
    delivering: { overdueSeconds: () => (acceptsEvents() ? lastResortSeconds : overdueSeconds) },
    processing: { overdueSeconds },
    jobs: { "wake-overdue-deliveries": wakeOverdueDeliveries },
    stop: async () => {
      stopAttempting();
      await disconnect?.();
    },
  };
}
