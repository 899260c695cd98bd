import { expect, test } from "vitest";
import { findSignatureHeaders } from "@/components/signatures/find-signature-headers";
import {
  type Inspection,
  inspectSignature,
  type Pasted,
} from "@/components/signatures/inspect-signature";
import { shownHeaders } from "@/lib/deliveries/engine/delivery-headers";
import {
  readPrivateKey,
  signatureHeader,
  standardWebhooksHeaders,
} from "@/lib/deliveries/engine/sign";
import { generateSigningSecret } from "@/lib/platform/secret-box";
import { generateKeyPair } from "@/lib/webhooks/key-pair";

const now = new Date("2026-01-31T09:30:00.000Z");
const secret = generateSigningSecret();
const body =
  '{"id":"evt_01KG9P5Y41S6B3M8X2F7Z9D4KC","type":"message.received","data":{"object":{"text":"Grüße"}}}';

/** What our own sender makes of it. */
function delivery({ text = body, secrets = [secret], ageSeconds = 0 } = {}) {
  const timestampSeconds = Math.floor(now.getTime() / 1_000) - ageSeconds;
  const standard = standardWebhooksHeaders({
    secrets,
    timestampSeconds,
    body: text,
    id: "evt_01KG9P5Y41S6B3M8X2F7Z9D4KC",
  });
  const signature = signatureHeader({ secrets, timestampSeconds, body: text });
  const headers = [
    `X-Service-Signature: ${signature}`,
    ...Object.entries(standard).map(([name, value]) => `${name}: ${value}`),
  ].join("\n");
  return { signature, headers };
}

const inspect = (changes: Partial<Pasted>, sent = delivery()) =>
  inspectSignature({ headers: sent.headers, body, secret, ...changes }, now);

const statesOf = ({ steps }: Inspection) =>
  Object.fromEntries(steps.map(({ name, state }) => [name, state]));
const textOf = ({ steps }: Inspection, name: string) =>
  steps.find((step) => step.name === name)?.text;

test("a delivery of our own sender passes every step, with either of two secrets", async () => {
  for (const secrets of [[secret], [generateSigningSecret(), secret]]) {
    const inspection = await inspect({}, delivery({ secrets }));
    expect(inspection.code).toBeNull();
    expect(new Set(Object.values(statesOf(inspection)))).toEqual(new Set(["passed"]));
    expect(Object.keys(statesOf(inspection))).toEqual([
      "Header",
      "Time",
      "Secret",
      "Signature",
      "Standard Webhooks",
      "Payload",
    ]);
  }
  expect(
    textOf(
      await inspect({}, delivery({ secrets: [generateSigningSecret(), secret] })),
      "Signature",
    ),
  ).toContain("2 of 2 matches");
});

test("a public key verifies the v1a signature, and a failing step says why", async () => {
  const pair = generateKeyPair();
  const privateKeys = [readPrivateKey(pair.privateKey)];
  const sign = (ageSeconds = 0) => {
    const timestampSeconds = Math.floor(now.getTime() / 1_000) - ageSeconds;
    const headers = standardWebhooksHeaders({
      secrets: [secret],
      privateKeys,
      timestampSeconds,
      body,
      id: "evt_1",
    });
    return Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
  };
  const valid = { headers: sign(), secret: pair.publicKey };
  const inspection = await inspect(valid);
  expect(inspection.code).toBeNull();
  expect(statesOf(inspection)).toEqual({
    Headers: "passed",
    Time: "passed",
    "Public key": "passed",
    Signature: "passed",
    Payload: "passed",
  });

  const refused: [Partial<Pasted>, string, string, string][] = [
    [{ headers: delivery().signature }, "missing-header", "Headers", "all three headers"],
    [{ headers: delivery().headers }, "malformed-header", "Headers", "has no v1a signature"],
    [{ headers: sign(400) }, "timestamp-too-old", "Time", "6 minutes ago"],
    [{ secret: `"${pair.publicKey}"` }, "signature-mismatch", "Public key", "quotation marks"],
    [{ secret: generateKeyPair().publicKey }, "signature-mismatch", "Signature", "another webhook"],
    [{ body: `${body}\n` }, "signature-mismatch", "Signature", "without its final line break"],
  ];
  for (const [changes, code, step, text] of refused) {
    const result = await inspect({ ...valid, ...changes });
    expect([result.code, statesOf(result)[step]]).toEqual([code, "failed"]);
    expect(textOf(result, step)).toContain(text);
  }
});

test.each([
  [
    "no signature header",
    { headers: "Host: example.com" },
    "missing-header",
    "Header",
    "no X-Service-Signature",
  ],
  ["no time", { headers: "X-Service-Signature: v1=00" }, "malformed-header", "Header", "no t="],
  ["two times", { headers: "t=1,t=2,v1=00" }, "malformed-header", "Header", "more than one"],
  [
    "milliseconds",
    { headers: "t=1769851800000,v1=00" },
    "malformed-header",
    "Header",
    "milliseconds",
  ],
  ["no signature", { headers: "t=1769851800" }, "malformed-header", "Header", "no v1="],
  [
    "the dashboard's own placeholder",
    { headers: "t=1769851800,v1=…" },
    "signature-mismatch",
    "Header",
    "not stored",
  ],
  [
    "a signature in capitals",
    { headers: delivery().signature.replace(/v1=.*/, (v1) => `v1=${v1.slice(3).toUpperCase()}`) },
    "signature-mismatch",
    "Signature",
    "lower case",
  ],
  ["no secret", { secret: "" }, "missing-secret", "Secret", "Paste"],
  [
    "a line break after the secret",
    { secret: `${secret}\n` },
    "signature-mismatch",
    "Secret",
    "line breaks",
  ],
  [
    "quotation marks around the secret",
    { secret: `"${secret}"` },
    "signature-mismatch",
    "Secret",
    "quotation marks",
  ],
  [
    "an API key as the secret",
    { secret: `prl_test_${"a".repeat(40)}` },
    "signature-mismatch",
    "Secret",
    "API key",
  ],
  [
    "a secret without its prefix",
    { secret: secret.slice(6) },
    "signature-mismatch",
    "Signature",
    "whsec_ in front",
  ],
  ["the dashboard's hint", { secret: "whsec_…aSw=" }, "signature-mismatch", "Secret", "hint"],
  [
    "a secret cut short",
    { secret: secret.slice(0, 30) },
    "signature-mismatch",
    "Secret",
    "this one has 30",
  ],
  [
    "another secret",
    { secret: generateSigningSecret() },
    "signature-mismatch",
    "Signature",
    "another webhook's secret",
  ],
  [
    "a line break after the body",
    { body: `${body}\n` },
    "signature-mismatch",
    "Signature",
    "without its final line break",
  ],
  [
    "white space around the body",
    { body: `  ${body}  ` },
    "signature-mismatch",
    "Signature",
    "without the white space around it",
  ],
  [
    "a body that was indented",
    { body: JSON.stringify(JSON.parse(body), null, 2) },
    "signature-mismatch",
    "Signature",
    "parsed and serialized again",
  ],
  [
    "a body made into a string",
    { body: JSON.stringify(body) },
    "signature-mismatch",
    "Signature",
    "serialized as a string again",
  ],
  [
    "a byte order mark before the body",
    { body: `\uFEFF${body}` },
    "signature-mismatch",
    "Signature",
    "byte order mark",
  ],
  ["no body", { body: "" }, "signature-mismatch", "Payload", "Paste the body"],
])("%s: the step that fails says so", async (_what, changes: Partial<Pasted>, code, name, text) => {
  const inspection = await inspect(changes);
  expect(inspection.code).toBe(code);
  expect(statesOf(inspection)[name]).toMatch(/failed|doubtful/);
  expect(textOf(inspection, name)).toContain(text);
});

test("a signature over CRLF line endings, a final line break or escaped characters is recognized", async () => {
  const signedOver = async (text: string, pasted: string) =>
    textOf(await inspect({ body: pasted }, delivery({ text })), "Signature");
  const lines = '{"id":"evt_1",\n"type":"webhook.test"}';
  expect(await signedOver(lines.replace("\n", "\r\n"), lines)).toContain("CRLF");
  expect(await signedOver(`${body}\n`, body)).toContain("something removed it");
  expect(await signedOver(body.replace("ü", "\\u00fc").replace("ß", "\\u00df"), body)).toContain(
    "\\u…",
  );
});

test("two mistakes are both named", async () => {
  const inspection = await inspect({ body: `${body}\n`, secret: secret.slice(6) });
  expect(textOf(inspection, "Signature")).toMatch(/whsec_ in front.*line break/);
});

test.each([
  [301, "timestamp-too-old", "301 s ago"],
  [300, null, "ago"],
  [-300, null, "ahead"],
  [-301, "timestamp-in-future", "ahead of this computer's clock"],
  [3 * 86_400, "timestamp-too-old", "3 days ago"],
])("an age of %s s is judged as receivers do", async (ageSeconds, code, text) => {
  const inspection = await inspect({}, delivery({ ageSeconds }));
  expect(inspection.code).toBe(code);
  expect(statesOf(inspection)).toMatchObject({
    Time: code ? "failed" : "passed",
    Signature: "passed",
    Payload: "passed",
  });
  expect(textOf(inspection, "Time")).toContain(text.replace("301 s", "5 minutes"));
});

test("the Standard Webhooks headers are checked separately", async () => {
  const { headers } = delivery();
  const withOther = (name: string, value: string) =>
    inspect({ headers: headers.replace(new RegExp(`${name}: .*`), `${name}: ${value}`) });
  expect(textOf(await withOther("webhook-id", "evt_other"), "Standard Webhooks")).toContain(
    "No signature in webhook-signature matches",
  );
  expect(textOf(await withOther("webhook-signature", "v2,abc"), "Standard Webhooks")).toContain(
    "v1,<base64>",
  );
  expect(
    textOf(
      await inspect({ headers: headers.replace(/webhook-id: .*\n/, "") }),
      "Standard Webhooks",
    ),
  ).toContain("needs webhook-id");
  const [line = ""] = headers.split("\n");
  expect(statesOf(await inspect({ headers: line }))).not.toHaveProperty("Standard Webhooks");
});

test("headers are read as a value, a list, a curl command or a JSON object", () => {
  const { signature, headers } = delivery();
  expect(findSignatureHeaders(` ${signature} `)).toMatchObject({ signature, id: null });
  const all = findSignatureHeaders(
    `POST /hook HTTP/1.1\r\nHost: example.com\r\n${headers.replaceAll("\n", "\r\n")}`,
  );
  expect(all).toMatchObject({ signature, id: "evt_01KG9P5Y41S6B3M8X2F7Z9D4KC" });
  const lines = headers.split("\n");
  expect(
    findSignatureHeaders(
      `curl -X POST 'http://x' \\\n${lines.map((line) => `  -H '${line}' \\`).join("\n")}`,
    ),
  ).toEqual(all);
  const object = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
  expect(findSignatureHeaders(JSON.stringify(object, null, 2))).toEqual(all);
});

test("the dashboard shows the headers that are sent, except for the signatures", () => {
  const delivered = { id: "dlv_1", eventId: "evt_1", eventType: "webhook.test", attemptNumber: 3 };
  expect(shownHeaders(delivered, new Date("2026-01-31T09:30:00.900Z"))).toEqual({
    "user-agent": "Parlance-Webhooks/1.0",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "x-service-signature": "t=1769851800,v1=…",
    "x-service-event-id": "evt_1",
    "x-service-event-type": "webhook.test",
    "x-service-delivery-id": "dlv_1",
    "x-service-attempt": "3",
    "webhook-id": "evt_1",
    "webhook-timestamp": "1769851800",
    "webhook-signature": "v1,…",
  });
});
