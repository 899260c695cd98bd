import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { maximumAutomaticAttempts } from "@/lib/deliveries/engine/retry-schedule";
import { deliveryDue, inngest } from "../client";

const concurrentDeliveriesPerWebhook = 10;

/**
 * One for each attempt, and as many for when its turn has not come: while it waits for its time, a
 * probe, another's lease.
 */
const wakeUpsPerRun = 2 * maximumAutomaticAttempts;

/**
 * One delivery from its first attempt to its last. A step may run twice, which the attempt's own
 * record makes harmless. The names of the steps must stay: runs that sleep for a day look for them.
 * What still waits at the end, because its webhook pauses for long, the worker takes over.
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
