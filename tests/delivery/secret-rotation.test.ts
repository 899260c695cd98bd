import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { mutate, system } from "@/lib/platform/caller";
import { rotateSecret } from "@/lib/webhooks/rotate-secret";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver";
import {
  newDelivery,
  newWebhook,
  raiseEvent,
  type TestWebhook,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// Which secrets sign is decided during the attempt, so it is the same with both clocks.

const dayMs = 86_400_000;

let receiver: Receiver;
let clock: VirtualClock;
beforeEach(async () => {
  receiver = await startReceiver();
  clock = virtualClock();
});
afterEach(async () => {
  clock.release();
  await receiver.close();
});

const rotate = ({ partition, id }: TestWebhook, overlapSeconds = 86_400) =>
  mutate(system(partition), (caller) => rotateSecret(caller, id, { overlapSeconds }));

/**
 * What a receiver with this secret would say, by Stripe's verifier and by that of Standard
 * Webhooks.
 */
function accepts(secret: string, received: ReceivedRequest | undefined): [boolean, boolean] {
  const { body = "", headers = {} } = received ?? {};
  const succeeds = (verify: () => unknown) => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  };
  return [
    succeeds(() =>
      new Stripe("sk_test_unused").webhooks.constructEvent(
        body,
        String(headers["x-service-signature"]),
        secret,
      ),
    ),
    succeeds(() => new Webhook(secret).verify(body, headers as Record<string, string>)),
  ];
}

test("both secrets sign for 24 hours to the second, the new one first, and then it signs alone", async () => {
  // The verifiers use the real time, so the rotation was almost a day ago.
  clock.release();
  clock = virtualClock(new Date(Date.now() - dayMs + 60_000));
  const webhook = await newWebhook(receiver.url);
  const send = async () => {
    const [delivery] = await raiseEvent(webhook.partition);
    if (delivery)
      expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
    return receiver.requests.at(-1);
  };
  const rotatedAt = clock.now();
  const rotated = await rotate(webhook);
  expect(rotated.previousSecretExpiresAt).toBe(new Date(rotatedAt.getTime() + dayMs).toISOString());

  clock.advanceTo(new Date(rotatedAt.getTime() + dayMs - 1_000));
  const during = await send();
  expect(accepts(rotated.secret, during)).toEqual([true, true]);
  expect(accepts(webhook.secret, during)).toEqual([true, true]);
  expect(during?.headers["x-service-signature"]).toMatch(
    /^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/,
  );
  await expect(rotate(webhook, 1)).rejects.toMatchObject({ kind: "rotation-in-progress" });

  clock.advanceTo(new Date(rotatedAt.getTime() + dayMs + 1_000));
  const afterwards = await send();
  expect(accepts(rotated.secret, afterwards)).toEqual([true, true]);
  expect(accepts(webhook.secret, afterwards)).toEqual([false, false]);
  expect(afterwards?.headers["x-service-signature"]).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);

  // The first of the two belongs to the new secret.
  const withFirst = {
    ...during?.headers,
    "x-service-signature": String(during?.headers["x-service-signature"]).replace(/,v1=\w+$/, ""),
  };
  expect(accepts(rotated.secret, during && { ...during, headers: withFirst })[0]).toBe(true);
  expect(accepts(webhook.secret, during && { ...during, headers: withFirst })[0]).toBe(false);
  expect((await rotate(webhook)).secret).not.toBe(rotated.secret);
});

test("a rotation without overlap ends every older secret immediately, also for pending deliveries", async () => {
  clock.release();
  const { webhook, delivery } = await newDelivery(receiver.url);
  const second = await rotate(webhook);
  const third = await rotate(webhook, 0);
  await attemptDelivery(delivery);
  const [received] = receiver.requests;
  expect(
    [webhook.secret, second.secret, third.secret].map((secret) => accepts(secret, received)),
  ).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
});
