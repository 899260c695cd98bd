import { deliveriesDue, deliveryWaiting, inngest, webhookDeleted } from "../client";
import { logFailure } from "../log-failure";

/**
 * Sleeps until a delivery's next attempt, for up to a day, and then lets it be sent together with
 * others. The step names must not change, because sleeping runs look for them a day later.
 */
export function waitForNextAttempt() {
  return inngest().createFunction(
    {
      id: "wait-for-next-attempt",
      name: "Webhooks: wait for a delivery's next attempt",
      triggers: [deliveryWaiting],
      retries: 4,
      idempotency: "event.data.key",
      priority: { run: "event.data.environment == 'live' ? 60 : 0" },
      cancelOn: [{ event: webhookDeleted, if: "async.data.webhookId == event.data.webhookId" }],
      onFailure: logFailure,
    },
    async ({ event, step }) => {
      const { until, wakeUps, deliveryId, key: _key, ...data } = event.data;
      await step.sleepUntil("next-attempt", until);
      await step.sendEvent(
        "wake",
        deliveriesDue.create({
          ...{ ...data, deliveryIds: [deliveryId] },
          ...{ wakeUps: wakeUps + 1, isAlone: false },
        }),
      );
    },
  );
}
