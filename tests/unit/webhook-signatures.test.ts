import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { signatureHeader, standardWebhooksHeaders } from "@/lib/deliveries/engine/sign";
import { generateSigningSecret } from "@/lib/platform/secret-box";

const body = JSON.stringify({
  id: "evt_1",
  object: "event",
  type: "message.received",
  data: { object: { text: "Grüße, 你好 \u{1F600}" } },
});
const now = () => Math.floor(Date.now() / 1000);

test("the header has the format of Stripe: t first, lowercase hex, no space", () => {
  const header = signatureHeader({
    secrets: ["whsec_a", "whsec_b"],
    timestampSeconds: 1_700_000_000,
    body,
  });
  expect(header).toMatch(/^t=1700000000,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

test("Stripe's own verifier accepts the header, with the new secret as with the old one", async () => {
  const secrets = [generateSigningSecret(), generateSigningSecret()];
  const header = signatureHeader({ secrets, timestampSeconds: now(), body });
  const { webhooks } = new Stripe("sk_test_unused");
  for (const secret of secrets)
    expect(webhooks.constructEvent(body, header, secret)).toMatchObject({ id: "evt_1" });
  expect(() => webhooks.constructEvent(body, header, generateSigningSecret())).toThrow(
    /signature/i,
  );
  expect(() => webhooks.constructEvent(`${body} `, header, secrets[0] ?? "")).toThrow(/signature/i);
});

test("the Standard Webhooks verifier accepts the trio, with the new secret as with the old one", () => {
  const secrets = [generateSigningSecret(), generateSigningSecret()];
  const headers = standardWebhooksHeaders({ secrets, timestampSeconds: now(), body, id: "evt_1" });
  for (const secret of secrets)
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id: "evt_1" });
  expect(() => new Webhook(generateSigningSecret()).verify(body, headers)).toThrow();
});
