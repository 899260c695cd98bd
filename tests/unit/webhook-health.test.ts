import { expect, test } from "vitest";
import { describeAttemptError } from "@/components/deliveries/labels";
import { probeAfterFailures, webhookHealth } from "@/lib/webhooks/health";

test.each([
  [0, "well"],
  [probeAfterFailures - 1, "well"],
  [probeAfterFailures, "failing"],
  [49, "failing"],
  [89, "failing"],
  [90, "about-to-be-disabled"],
] as const)(
  "a webhook with %i failures in a row is %s: it is failing as soon as it gets one delivery at a time",
  (failures, health) => {
    expect(webhookHealth({ status: "ENABLED", consecutiveFailures: failures })).toBe(health);
    expect(webhookHealth({ status: "DISABLED", consecutiveFailures: failures })).toBe("disabled");
  },
);

test("a delivery that could not be signed is shown as not sent", () => {
  const { label, sentence } = describeAttemptError("secret_unavailable");
  expect(label).toBe("Not sent");
  expect(sentence).toContain("Nothing was sent");
});
