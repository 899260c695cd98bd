import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClaimedDelivery, claimDelivery } from "@/lib/deliveries/engine/claim";
import { endedAttempt, recordAttempts } from "@/lib/deliveries/engine/record";
import { sweepWebhooks } from "@/lib/deliveries/engine/sweep-webhooks";
import { db } from "@/lib/platform/db";
import { disableWebhook } from "@/lib/webhooks/disable";
import {
  findWebhook,
  newWebhook,
  raiseEvent,
  type TestWebhook,
  patchWebhook as update,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// What happens to the webhook of a receiver that returned 410 if the process ends before it disables
// the webhook.

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => clock.release());

const url = "http://127.0.0.1:9/";
const newUrl = "http://127.0.0.1:9/z";
const find = ({ partition, id }: TestWebhook) => findWebhook(partition, id);

type Trigger = "AUTOMATIC" | "MANUAL" | "TEST";

async function claimNew(webhook: TestWebhook): Promise<ClaimedDelivery> {
  const [raised] = await raiseEvent(webhook.partition);
  const claimed = raised && (await claimDelivery(raised, clock.now()));
  if (!claimed) throw new Error("nothing was claimed");
  return claimed;
}

/** Records a 410, and ends before it disables the webhook. */
async function recordGone(deliveries: ClaimedDelivery[], trigger: Trigger = "AUTOMATIC") {
  const attempts = deliveries.map((delivery) =>
    endedAttempt(
      { ...delivery, trigger },
      { statusCode: 410, response: "", durationMs: 1 },
      clock.now(),
    ),
  );
  expect(await recordAttempts(attempts, clock.now())).not.toContain(null);
}

async function sweepCompletely(): Promise<void> {
  while ((await sweepWebhooks(100)) > 0);
}

for (const trigger of ["AUTOMATIC", "MANUAL"] as const)
  test(`a webhook is disabled although the process ended after it recorded a 410 (${trigger})`, async () => {
    const webhook = await newWebhook(url);
    await recordGone([await claimNew(webhook)], trigger);
    expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
    await sweepCompletely();
    expect(await find(webhook)).toMatchObject({ status: "DISABLED", disabledReason: "GONE" });

    await update(webhook, { status: "ENABLED" });
    await sweepCompletely();
    expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
  });

test("410s from two URLs of a webhook in one statement disable it if one of them is its own", async () => {
  const webhook = await newWebhook(newUrl);
  const first = await claimNew(webhook);
  await update(webhook, { url });
  await recordGone([first, await claimNew(webhook)]);
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({ status: "DISABLED", disabledReason: "GONE" });
});

test("a test that gets a 410 does not disable the webhook", async () => {
  const webhook = await newWebhook(url);
  await recordGone([await claimNew(webhook)], "TEST");
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});

test("a webhook whose URL was changed before the 410 is not disabled, and a manual attempt moves no probe", async () => {
  const webhook = await newWebhook(url);
  const claimed = await claimNew(webhook);
  const probeAfter = new Date(clock.now().getTime() + 1_000);
  const where = { tenantId_environment_id: { ...webhook.partition, id: webhook.id } };
  await db().webhook.update({ where, data: { consecutiveFailures: 10, probeAfter } });
  await update(webhook, { url: newUrl });
  await recordGone([claimed], "MANUAL");
  await update(webhook, { url });
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({
    status: "ENABLED",
    consecutiveFailures: 10,
    probeAfter,
  });
});

test("a webhook whose URL was changed after the 410, and back, is not disabled", async () => {
  const webhook = await newWebhook(url);
  await recordGone([await claimNew(webhook)]);
  await update(webhook, { url: newUrl });
  await sweepCompletely();
  await update(webhook, { url });
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});

test("a webhook that a user disabled during the attempt, and enabled after it, is not disabled again", async () => {
  const webhook = await newWebhook(url);
  const claimed = await claimNew(webhook);
  await update(webhook, { status: "DISABLED" });
  await recordGone([claimed]);
  await update(webhook, { status: "ENABLED" });
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});

test("a webhook that was disabled and enabled since a sweep found it is not disabled again", async () => {
  const webhook = await newWebhook(url);
  await recordGone([await claimNew(webhook)]);
  const { partition, id } = webhook;
  await disableWebhook(partition, id, "GONE");
  expect(await find(webhook)).toMatchObject({ status: "DISABLED" });
  await update(webhook, { status: "ENABLED" });
  await disableWebhook(partition, id, "GONE");
  expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});
