import { attemptDeliveries } from "@/lib/deliveries/engine/attempt-deliveries";
import { maximumAutomaticAttempts } from "@/lib/deliveries/engine/retry-schedule";
import { env } from "@/lib/platform/env";
import { deliveriesDue, deliveryWaiting, inngest } from "../client";
import { logFailure } from "../log-failure";

/** Each event has up to a hundred deliveries. */
const eventsPerRun = 10;
/**
 * Runs that send to one webhook. They share the requests that the process has in flight to it. Once
 * the limit is reached, Inngest waits five seconds before it checks again, so it is far above what a
 * usual burst needs.
 */
const concurrentRunsPerWebhook = 10;

/**
 * One per attempt, and as many again for wake-ups that come too early: while the delivery waits for
 * its time, a probe, or another process's lease. After that, the worker wakes it when it is overdue.
 */
const maximumWakeUps = 2 * maximumAutomaticAttempts;

/**
 * Sends what is due to one webhook. A step may run twice, which the attempts' own records make
 * harmless. Each delivery that has to be sent again gets a run that sleeps until then.
 */
export function sendDeliveries() {
  return inngest().createFunction(
    {
      id: "send-deliveries",
      name: "Webhooks: send due deliveries",
      triggers: [deliveriesDue],
      retries: 4,
      batchEvents: {
        maxSize: eventsPerRun,
        timeout: "1s",
        key: "event.data.webhookId",
        if: "event.data.isAlone == false",
      },
      concurrency: [
        { key: "event.data.webhookId", limit: concurrentRunsPerWebhook },
        { limit: Math.ceil(env().DELIVERY_CONCURRENCY / concurrentRunsPerWebhook) },
      ],
      onFailure: logFailure,
    },
    async ({ event, events, step }) => {
      const { tenantId, environment, webhookId } = event.data;
      const wakeUps = new Map(
        events.flatMap(({ data }) => data.deliveryIds.map((id) => [id, data.wakeUps])),
      );
      let due = [...wakeUps.keys()];
      for (let number = 1; due.length > 0; number++) {
        const { again, left } = await step.run(`attempt-${number}`, () =>
          attemptDeliveries({ tenantId, environment, webhookId }, due),
        );
        const waiting = again.flatMap(({ id: deliveryId, retryAt: until }) => {
          const count = wakeUps.get(deliveryId) ?? 0;
          if (count >= maximumWakeUps) return [];
          const key = `${deliveryId} ${until} ${count}`;
          const data = { tenantId, environment, webhookId, deliveryId, until, key, wakeUps: count };
          return [deliveryWaiting.create(data)];
        });
        if (waiting.length > 0) await step.sendEvent(`wait-${number}`, waiting);
        due = left;
      }
      return { deliveries: wakeUps.size };
    },
  );
}
