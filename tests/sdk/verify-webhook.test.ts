import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { expect, expectTypeOf, test } from "vitest";
import {
  readPrivateKey,
  signatureHeader,
  standardWebhooksHeaders,
} from "@/lib/deliveries/engine/sign";
import { generateSigningSecret } from "@/lib/platform/secret-box";
import {
  type Conversation,
  createTestKeyPair,
  type Message,
  signTestWebhook,
  type VerifyWebhookInput,
  verifyWebhook,
  type WebhookEvent,
} from "@/sdk/src/webhooks";

const secret = generateSigningSecret();
const other = generateSigningSecret();
const event = {
  id: "evt_1",
  object: "event",
  type: "message.received",
  data: { object: { text: "Grüße, 你好 \u{1F600}" } },
};
const payload = JSON.stringify(event);
const signedAt = new Date("2026-01-31T09:30:00.900Z");
const timestampSeconds = Math.floor(signedAt.getTime() / 1_000);
const header = signatureHeader({ secrets: [secret], timestampSeconds, body: payload });
const seconds = (count: number) => new Date(timestampSeconds * 1_000 + count * 1_000);

const codeOf = (input: object): Promise<string> =>
  verifyWebhook({ payload, header, secret, now: signedAt, ...input } as VerifyWebhookInput).then(
    () => "accepted",
    (error) => error.code,
  );

test("signatures of the service are accepted for text, bytes and buffers", async () => {
  const bytes = new TextEncoder().encode(payload);
  for (const form of [payload, bytes, bytes.buffer, Buffer.from(payload)]) {
    expect(await verifyWebhook({ payload: form, header, secret, now: signedAt })).toEqual(event);
  }
});

test("an event of a type that is newer than the client is returned as it is", async () => {
  const newer = { id: "evt_2", type: "ticket.merged", data: { object: { id: "tkt_1" } } };
  const signed = await signTestWebhook({ payload: newer, secret });
  expect(await verifyWebhook({ ...signed, secret })).toEqual(newer);
});

test("a test webhook with a private key has the v1a that the service makes with it", async () => {
  const pair = await createTestKeyPair();
  const signed = await signTestWebhook({ payload, secret, timestamp: signedAt, ...pair });
  const { publicKey } = pair;
  const received = { payload, header: signed.headers, now: signedAt };
  expect(await verifyWebhook({ ...received, publicKey })).toEqual(event);
  expect(await verifyWebhook({ ...received, secret })).toEqual(event);
  expect(signed.headers).toMatchObject(
    standardWebhooksHeaders({
      secrets: [secret],
      privateKeys: [readPrivateKey(pair.privateKey)],
      timestampSeconds,
      body: payload,
      id: event.id,
    }),
  );
  const { publicKey: other } = await createTestKeyPair();
  await expect(verifyWebhook({ ...received, publicKey: other })).rejects.toMatchObject({
    code: "signature-mismatch",
  });
});

test("without a given time, the clock is used", async () => {
  const fresh = signatureHeader({
    secrets: [secret],
    timestampSeconds: Math.floor(Date.now() / 1_000),
    body: payload,
  });
  expect(await verifyWebhook({ payload, header: fresh, secret })).toEqual(event);
  await expect(verifyWebhook({ payload, header, secret })).rejects.toMatchObject({
    code: /^timestamp-/,
  });
});

test("any v1 with any secret of the receiver is accepted, so that a rotation goes unnoticed", async () => {
  const rotating = signatureHeader({ secrets: [other, secret], timestampSeconds, body: payload });
  expect(await codeOf({ header: rotating, secret })).toBe("accepted");
  expect(await codeOf({ header: rotating, secret: other })).toBe("accepted");
  expect(await codeOf({ secret: undefined, secrets: [other, secret] })).toBe("accepted");
  expect(await codeOf({ secret: undefined, secrets: [other] })).toBe("signature-mismatch");
});

test("a header that is split, has spaces or has further schemes is still read", async () => {
  const [time = "", signature = ""] = header.split(",");
  expect(await codeOf({ header: [time, signature] })).toBe("accepted");
  expect(await codeOf({ header: `v0=old, ${time} , ${signature}, v2=new` })).toBe("accepted");
});

test.each<[string, VerifyWebhookInput["header"]]>([
  ["a Headers object", new Headers({ "X-Service-Signature": header })],
  ["the headers of Node's http", { host: "a", "x-service-signature": header }],
  ["headers in any case", { "X-SERVICE-SIGNATURE": [header] }],
])("%s is searched for the signature", async (_what, headers) => {
  expect(await codeOf({ header: headers })).toBe("accepted");
});

test.each([{}, new Headers(), { other: "a" }, { "x-service-signature": undefined }, 7, true])(
  "%j has no signature",
  async (headers) => {
    expect(await codeOf({ header: headers })).toMatch(/^(missing|malformed)-header$/);
  },
);

test.each([
  [-301, "timestamp-in-future"],
  [-300, "accepted"],
  [300, "accepted"],
  [301, "timestamp-too-old"],
])("%i s after it was signed it is %s", async (age, code) => {
  expect(await codeOf({ now: seconds(age) })).toBe(code);
});

test("the tolerance can be set", async () => {
  expect(await codeOf({ now: seconds(11), toleranceSeconds: 10 })).toBe("timestamp-too-old");
  expect(await codeOf({ now: seconds(3_600), toleranceSeconds: 3_600 })).toBe("accepted");
});

test.each<[string, object, RegExp]>([
  ["a tolerance of NaN", { toleranceSeconds: Number.NaN }, /^toleranceSeconds must be/],
  ["a negative tolerance", { toleranceSeconds: -1 }, /^toleranceSeconds must be/],
  ["a tolerance as text", { toleranceSeconds: "5m" }, /^toleranceSeconds must be/],
  ["an invalid date", { now: new Date("tomorrow") }, /^now must be/],
])("%s is refused, and does not accept any age", async (_what, changes, message) => {
  const input = { payload, header, secret, now: seconds(10 ** 6), ...changes };
  await expect(verifyWebhook(input as VerifyWebhookInput)).rejects.toThrow(message);
});

test.each<[string, object, string]>([
  ["another secret", { secret: other }, "signature-mismatch"],
  ["another payload", { payload: `${payload} ` }, "signature-mismatch"],
  [
    "another time in the header",
    { header: header.replace(/^t=\d+/, `t=${timestampSeconds + 1}`) },
    "signature-mismatch",
  ],
  [
    "a signature in capitals",
    { header: header.replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase()) },
    "signature-mismatch",
  ],
  ["half a signature", { header: header.slice(0, -32) }, "signature-mismatch"],
  [
    "an old time with a wrong signature",
    { secret: other, now: seconds(10_000) },
    "signature-mismatch",
  ],
  ["no header", { header: undefined }, "missing-header"],
  ["a header that is null", { header: null }, "missing-header"],
  ["an empty header", { header: "" }, "missing-header"],
  ["a header of another kind", { header: "sha256=abc" }, "malformed-header"],
  ["no time", { header: header.replace(/^t=\d+,/, "") }, "malformed-header"],
  ["two times", { header: `t=${timestampSeconds},${header}` }, "malformed-header"],
  ["a time that is none", { header: header.replace(/^t=\d+/, "t=soon") }, "malformed-header"],
  ["a negative time", { header: header.replace(/^t=/, "t=-") }, "malformed-header"],
  ["no signature", { header: `t=${timestampSeconds}` }, "malformed-header"],
  ["an empty signature", { header: `t=${timestampSeconds},v1=` }, "malformed-header"],
  ["an object in place of the body", { payload: event }, "payload-not-raw"],
  ["no body", { payload: undefined }, "payload-not-raw"],
  ["no secret", { secret: undefined }, "missing-secret"],
  ["an empty secret", { secret: "" }, "missing-secret"],
  ["no secrets", { secret: undefined, secrets: [] }, "missing-secret"],
])("%s is refused with a code of its own", async (_what, input, code) => {
  expect(await codeOf(input)).toBe(code);
});

test.each(["no JSON", "null", "[]", '{"id":1,"type":"a"}', ""])(
  "a genuine signature over %s is refused as not an event",
  async (text) => {
    const signed = signatureHeader({ secrets: [secret], timestampSeconds, body: text });
    expect(await codeOf({ payload: text, header: signed })).toBe("malformed-payload");
  },
);

test("no change of a single byte or character is accepted", async () => {
  const index = fc.nat({ max: 10_000 });
  await fc.assert(
    fc.asyncProperty(
      index,
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      async (position, difference, isPayload) => {
        const bytes = Buffer.from(isPayload ? payload : header);
        const at = position % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ difference;
        const code = await codeOf(
          isPayload ? { payload: bytes } : { header: bytes.toString("latin1") },
        );
        expect(code).not.toBe("accepted");
      },
    ),
    { numRuns: 300 },
  );
});

test("Stripe's verifier and the SDK's accept each other's signatures", async () => {
  const { webhooks } = new Stripe("sk_test_unused");
  const byStripe = webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: timestampSeconds,
  });
  expect(await codeOf({ header: byStripe })).toBe("accepted");

  const signed = await signTestWebhook({ payload: event, secrets: [other, secret] });
  for (const key of [secret, other])
    expect(webhooks.constructEvent(signed.payload, signed.header, key)).toEqual(event);
});

test("signTestWebhook makes the same headers as the service, and the verifier of Standard Webhooks accepts them", async () => {
  const secrets = [secret, other];
  const signed = await signTestWebhook({ payload: event, secrets, timestamp: signedAt });
  expect(signed.payload).toBe(payload);
  expect(signed.header).toBe(signatureHeader({ secrets, timestampSeconds, body: payload }));
  expect(signed.headers).toMatchObject(
    standardWebhooksHeaders({ secrets, timestampSeconds, body: payload, id: "evt_1" }),
  );
  expect(signed.headers).toMatchObject({
    "X-Service-Signature": signed.header,
    "X-Service-Event-Id": "evt_1",
    "X-Service-Event-Type": "message.received",
  });

  const fresh = await signTestWebhook({ payload, secret });
  expect(fresh.headers["webhook-id"]).toBe("evt_1");
  expect(new Webhook(secret).verify(fresh.payload, fresh.headers)).toEqual(event);
});

test("anything can be signed, but nothing without a secret", async () => {
  for (const text of ["no JSON", "null", "7"]) {
    const { header: signed } = await signTestWebhook({
      payload: text,
      secret,
      timestamp: signedAt,
    });
    expect(await codeOf({ payload: text, header: signed })).toBe("malformed-payload");
  }
  await expect(signTestWebhook({ payload, secret: undefined })).rejects.toMatchObject({
    code: "missing-secret",
  });
});

test("the type of an event determines its data", () => {
  const read = (received: WebhookEvent) => {
    if (received.type === "message.received")
      expectTypeOf(received.data.object).toEqualTypeOf<Message>();
    if (received.type === "conversation.status_changed")
      expectTypeOf(received.data.object).toEqualTypeOf<Conversation>();
    return received.type;
  };
  expect(read(event as unknown as WebhookEvent)).toBe("message.received");
});
