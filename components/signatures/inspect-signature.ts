import { signatureOf, standardSignatureOf } from "@/sdk/src/sign";
import {
  verifyWebhook,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "@/sdk/src/webhooks";
import { type BodyAndSecret, explainMismatch, parseJson } from "./explain-mismatch";
import { findSignatureHeaders, type SignatureHeaders } from "./find-signature-headers";
import { isPublicKey, isUnsupported, notSupported, stepsWithPublicKey } from "./inspect-public-key";
import { payloadStep, type Step, timeStep, toleranceSeconds } from "./steps";

/**
 * `code`: the error code of the TypeScript client's `verifyWebhook`, or null if it accepts the delivery.
 */
export type Inspection = { code: WebhookVerificationCode | null; summary: string; steps: Step[] };

/** `secret` may be the public key (`whpk_…`) of a webhook with asymmetric signatures. */
export type Pasted = { headers: string; body: string; secret: string };

const toleranceSeconds = 300;
const encoder = new TextEncoder();

/** Verifies a delivery step by step, and continues after a step that fails. Sends nothing. */
export async function inspectSignature(
  { headers, body, secret }: Pasted,
  now: Date,
): Promise<Inspection> {
  const found = findSignatureHeaders(headers);
  if (isPublicKey(secret)) {
    const header = {
      "webhook-id": found.id ?? "",
      "webhook-timestamp": found.timestamp ?? "",
      "webhook-signature": found.standardSignature ?? "",
    };
    const code = await verdict({ payload: body, header, publicKey: secret, now });
    return concluded(code, await stepsWithPublicKey(found, { body, secret, now }));
  }
  const parsed = parseSignature(found.signature);
  const code = await verdict(found, { body, secret, now });
  const steps = [
    parsed.step,
    timeStep(parsed.timestamp, now),
    secretStep(secret),
    await signatureStep(parsed, { body, secret }),
    ...(found.standardSignature === null ? [] : [await standardStep(found, { body, secret, now })]),
    payloadStep(body),
  ];
  const failed = steps.find(({ state }) => state === "failed");
  const summary =
    code === null
      ? "Valid: a receiver accepts this delivery."
      : `Rejected: the step “${failed?.name ?? "Header"}” failed.`;
  return { code, summary, steps };
}

async function verdict(
  { signature }: SignatureHeaders,
  { body, secret, now }: BodyAndSecret & { now: Date },
) {
  try {
    await verifyWebhook({ payload: body, header: signature, secret, now });
    return null;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

type ParsedSignature = { step: Step; timestamp: string | null; signatures: string[] };

function parseSignature(header: string | null): ParsedSignature {
  const name = "Header";
  const fail = (text: string, timestamp: string | null = null): ParsedSignature => ({
    step: { name, state: "failed", text },
    timestamp,
    signatures: [],
  });
  if (header === null || header === "")
    return fail("The pasted text contains no X-Service-Signature header.");

  const pairs = header.split(",").map((pair) => pair.trim().split("="));
  const valuesOf = (key: string) =>
    pairs.filter(([candidate]) => candidate === key).map(([, ...rest]) => rest.join("="));
  const [timestamp, ...furtherTimes] = valuesOf("t");
  const signatures = valuesOf("v1").filter((value) => value !== "");
  if (!timestamp) return fail("The header has no t=…, the time of signing in Unix seconds.");
  if (furtherTimes.length > 0) return fail("The header has more than one t=….");
  if (/^\d{13}$/.test(timestamp))
    return fail("t is in milliseconds. The service sends seconds, so something changed it.");
  if (!/^\d{1,12}$/.test(timestamp))
    return fail(`Its t, “${timestamp.slice(0, 40)}”, is not a time in Unix seconds.`);
  if (signatures.length === 0) return fail("The header has no v1=…, the signature.", timestamp);
  if (signatures.includes("…")) {
    return fail(
      "The signature is missing. It is not stored, so copy the header from your receiver.",
      timestamp,
    );
  }
  const count =
    signatures.length === 1
      ? "one signature"
      : `${signatures.length} signatures, as during a rotation`;
  return { step: { name, state: "passed", text: `One time and ${count}.` }, timestamp, signatures };
}

function timeStep(timestamp: string | null, now: Date): Step {
  const name = "Time";
  if (timestamp === null)
    return { name, state: "not-checked", text: "The header has no time to check." };
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  const exact = `${new Date(Number(timestamp) * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  if (ageSeconds > toleranceSeconds) {
    return {
      name,
      state: "failed",
      text: `Signed at ${exact}, ${inWords(ageSeconds)} ago. Receivers reject deliveries older than five minutes. If your receiver got it just now, its clock or this one is wrong. To test an old delivery, resend it.`,
    };
  }
  if (-ageSeconds > toleranceSeconds) {
    return {
      name,
      state: "failed",
      text: `Signed at ${exact}, ${inWords(-ageSeconds)} ahead of this computer's clock. One of the clocks is wrong.`,
    };
  }
  return {
    name,
    state: "passed",
    text: `Signed at ${exact}, ${inWords(Math.abs(ageSeconds))} ${ageSeconds < 0 ? "ahead" : "ago"}.`,
  };
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} minutes`;
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} hours`
    : `${Math.floor(seconds / 86_400)} days`;
}

const base64Of32Bytes = /^[A-Za-z0-9+/]{43}=$/;

function secretStep(secret: string): Step {
  const name = "Secret";
  const step = (state: Step["state"], text: string): Step => ({ name, state, text });
  if (secret === "") return step("failed", "Paste the webhook's signing secret.");
  if (secret.trim() !== secret)
    return step(
      "failed",
      "Remove the spaces or line breaks around the secret. They would be part of the key.",
    );
  if (/^(['"]).*\1$/.test(secret))
    return step(
      "failed",
      "Remove the quotation marks around the secret. They would be part of the key.",
    );
  if (/^[a-z]+_(live|test)_[0-9A-Za-z]{40}$/.test(secret))
    return step("failed", "This is an API key. The signing secret starts with whsec_.");
  if (!secret.startsWith("whsec_"))
    return step("failed", "The secret must start with whsec_. The prefix is part of the key.");
  if (secret.includes("…"))
    return step(
      "failed",
      "This is the hint from the dashboard, not the secret. The secret was shown once, when it was created.",
    );
  if (!base64Of32Bytes.test(secret.slice(6))) {
    return step(
      "doubtful",
      `Signing secrets have 50 characters and end in =, but this one has ${secret.length}. Check that you copied all of it.`,
    );
  }
  return step("passed", "The format is valid.");
}

async function signatureStep(
  { timestamp, signatures }: ParsedSignature,
  { body, secret }: BodyAndSecret,
): Promise<Step> {
  const name = "Signature";
  if (timestamp === null || signatures.length === 0 || secret === "") {
    return {
      name,
      state: "not-checked",
      text: "Paste the header and the secret to check the signature.",
    };
  }
  const matches = async (candidate: BodyAndSecret) => {
    const expected = await signatureOf(candidate.secret, timestamp, encoder.encode(candidate.body));
    return signatures.indexOf(expected);
  };
  const place = await matches({ body, secret });
  if (place >= 0) {
    const which =
      signatures.length === 1
        ? "The signature matches"
        : `Signature ${place + 1} of ${signatures.length} matches. One match is enough`;
    return { name, state: "passed", text: `${which}.` };
  }

  const expected = await signatureOf(secret, timestamp, encoder.encode(body));
  if (signatures.some((signature) => signature.toLowerCase() === expected)) {
    return {
      name,
      state: "failed",
      text: "It would match in lower case. Something changed the letter case of the header.",
    };
  }
  const explanation = await explainMismatch(
    { body, secret },
    async (candidate) => (await matches(candidate)) >= 0,
  );
  const compared = `For this body and secret, the expected v1 is ${expected}.`;
  return {
    name,
    state: "failed",
    text:
      explanation ??
      `No signature matches, and no common mistake explains it. The secret may be an older one or another webhook's secret, or the body may differ from the one that was sent. ${compared}`,
  };
}

async function standardStep(
  { id, timestamp, standardSignature }: SignatureHeaders,
  { body, secret, now }: BodyAndSecret & { now: Date },
): Promise<Step> {
  const name = "Standard Webhooks";
  const step = (state: Step["state"], text: string): Step => ({ name, state, text });
  if (!id || !timestamp)
    return step("failed", "webhook-signature needs webhook-id and webhook-timestamp.");
  const age = Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp));
  const expected = await standardSignatureOf(secret, id, timestamp, encoder.encode(body)).catch(
    () => null,
  );
  if (expected === null)
    return step("failed", "The part of the secret after whsec_ must be base64.");
  const signatures = (standardSignature ?? "").split(" ");
  if (!signatures.some((signature) => signature.startsWith("v1,")))
    return step("failed", "webhook-signature must have the form v1,<base64>.");
  if (!signatures.includes(`v1,${expected}`))
    return step(
      "failed",
      "No signature in webhook-signature matches webhook-id, webhook-timestamp and this body.",
    );
  if (!(age <= toleranceSeconds))
    return step(
      "failed",
      "The signature matches, but webhook-timestamp differs from the current time by more than five minutes.",
    );
  return step("passed", "The three headers match, too.");
}

function payloadStep(body: string): Step {
  const name = "Payload";
  if (body === "") return { name, state: "failed", text: "Paste the body as it arrived." };
  const value = parseJson(body) as { id?: unknown; type?: unknown } | null | undefined;
  if (typeof value?.id === "string" && typeof value.type === "string")
    return { name, state: "passed", text: `An event, ${value.type}.` };
  return {
    name,
    state: "failed",
    text: "The body must be an event: JSON with an id and a type.",
  };
}
