import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signedCurlCommand } from "@/components/deliveries/signed-curl-command";
import { shownHeaders } from "@/lib/deliveries/engine/delivery-headers";
import { generateSigningSecret } from "@/lib/platform/secret-box";
import { startReceiver } from "../support/receiver";

const run = promisify(execFile);
const delivered = {
  id: "dlv_1",
  eventId: "evt_1",
  eventType: "message.received",
  attemptNumber: 2,
};
const body = JSON.stringify({
  id: "evt_1",
  data: { object: { text: "It's 5 $ & \\n „Grüße“ 你好 `ls`" } },
});

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test("the commands send the same request, signed so that receivers accept it much later", async () => {
  const secret = generateSigningSecret();
  const longAgo = new Date("2026-01-01T00:00:00Z");
  const commands = signedCurlCommand(
    `${receiver.url}/it's`,
    shownHeaders(delivered, longAgo),
    body,
  );
  await run("sh", ["-c", commands], { env: { ...process.env, PARLANCE_WEBHOOK_SECRET: secret } });

  const [received] = receiver.requests;
  expect(received).toMatchObject({ method: "POST", path: "/it's", body });
  expect(received?.headers).toMatchObject({
    "x-service-event-id": "evt_1",
    "x-service-attempt": "2",
  });
  const signature = String(received?.headers["x-service-signature"]);
  expect(
    new Stripe("sk_test_unused").webhooks.constructEvent(body, signature, secret),
  ).toMatchObject({ id: "evt_1" });
  expect(
    new Webhook(secret).verify(body, received?.headers as Record<string, string>),
  ).toMatchObject({ id: "evt_1" });
});
