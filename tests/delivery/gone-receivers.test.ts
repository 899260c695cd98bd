import { afterEach, beforeEach, expect, test } from "vitest";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { endedAttempt, recordAttempts } from "@/lib/deliveries/engine/record";
import { sweepWebhooks } from "@/lib/deliveries/engine/sweep-webhooks";
import { mutate, system } from "@/lib/platform/caller";
import { updateWebhook } from "@/lib/webhooks/service";
import {
  findWebhook,
  newWebhook,
  raiseEvent,
  type TestWebhook,
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

const find = ({ partition, id }: TestWebhook) => findWebhook(partition, id);
const update = ({ partition, id }: TestWebhook, patch: Parameters<typeof updateWebhook>[2]) =>
  mutate(system(partition), (caller) => updateWebhook(caller, id, patch));

/** @param whileInFlight what happens between the claim and the response */
async function recordGone(
  webhook: TestWebhook,
  {
    trigger,
    whileInFlight = async () => {},
  }: { trigger?: "MANUAL" | "TEST"; whileInFlight?: () => Promise<unknown> } = {},
): Promise<void> {
  const [raised] = await raiseEvent(webhook.partition);
  const claimed = raised && (await claimDelivery(raised, clock.now()));
  if (!claimed) throw new Error("nothing was claimed");
  await whileInFlight();
  const attempt = endedAttempt(
    { ...claimed, ...(trigger && { trigger }) },
    { statusCode: 410, response: "", durationMs: 1 },
    clock.now(),
  );
  const recorded = await recordAttempts([attempt], clock.now());
  expect(recorded).toMatchObject([expect.any(Object)]);
}

async function sweepCompletely(): Promise<void> {
  while ((await sweepWebhooks(100)) > 0);
}

for (const trigger of [undefined, "MANUAL"] as const)
  test(`a webhook is disabled although the process ended after a 410 to ${trigger ?? "an automatic"} attempt was recorded`, async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/");
    await recordGone(webhook, { trigger });
    expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
    await sweepCompletely();
    expect(await find(webhook)).toMatchObject({ status: "DISABLED", disabledReason: "GONE" });

    await update(webhook, { status: "ENABLED" });
    await sweepCompletely();
    expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
  });

test("a test that gets a 410 does not disable the webhook", async () => {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  await recordGone(webhook, { trigger: "TEST" });
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});

test("a webhook whose URL was changed after the 410, or before it, is not disabled", async () => {
  const changed = await newWebhook("http://127.0.0.1:9/");
  await recordGone(changed);
  await update(changed, { url: "http://127.0.0.1:9/new" });

  const changing = await newWebhook("http://127.0.0.1:9/");
  await recordGone(changing, {
    whileInFlight: () => update(changing, { url: "http://127.0.0.1:9/new" }),
  });
  await update(changing, { url: "http://127.0.0.1:9/" });

  await sweepCompletely();
  for (const webhook of [changed, changing])
    expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});

test("a webhook that was disabled before the 410 and enabled after it is not disabled again", async () => {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  await recordGone(webhook, { whileInFlight: () => update(webhook, { status: "DISABLED" }) });
  await update(webhook, { status: "ENABLED" });
  await sweepCompletely();
  expect(await find(webhook)).toMatchObject({ status: "ENABLED" });
});
