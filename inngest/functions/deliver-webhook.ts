import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { maximumAutomaticAttempts } from "@/lib/deliveries/engine/retry-schedule";
import { deliveryDue, inngest } from "../client";

const concurrentDeliveriesPerWebhook = 10;

/**
 * One per attempt, and as many again for runs that come too early: while the delivery waits for its
 * time, a probe, or another process's lease.
 */
const wakeUpsPerRun = 2 * maximumAutomaticAttempts;

/**
 * Runs one delivery from its first attempt to its last. A step may run twice, which the attempt's
 * own record makes harmless. The step names must not change, because sleeping runs look for them a
 * day later. If the delivery still waits at the end, because its webhook is paused for long, the
 * worker takes over.
 */
export function deliverWebhook() {
  return inngest().createFunction(
    {
      id: "deliver-webhook",
      triggers: [deliveryDue],
      retries: 4,
      concurrency: { key: "event.data.webhookId", limit: concurrentDeliveriesPerWebhook },
    },
    async ({ event, step }) => {
      const { tenantId, environment, deliveryId } = event.data;
      for (let number = 1; ; number++) {
        const outcome = await step.run(`attempt-${number}`, () =>
          attemptDelivery({ tenantId, environment, id: deliveryId }),
        );
        if (outcome.retryAt === null || number === wakeUpsPerRun) return outcome;
        await step.sleepUntil(`retry-${number}`, outcome.retryAt);
      }
    },
  );
}
