import { signatureOf, standardSignatureOf } from "@/sdk/src/sign";
import {
  type VerifyWebhookInput,
  verifyWebhook,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "@/sdk/src/webhooks";
import { type BodyAndSecret, explainMismatch } from "./explain-mismatch";
import { findSignatureHeaders, type SignatureHeaders } from "./find-signature-headers";
import { isPublicKey, isUnsupported, notSupported, stepsWithPublicKey } from "./inspect-public-key";
import { payloadStep, type Step, timeStep, toleranceSeconds } from "./steps";

/**
 * `code`: the code or name of the error that the TypeScript client's `verifyWebhook` throws, or null
 * if it accepts the delivery.
 */
export type Inspection = {
  code: WebhookVerificationCode | typeof notSupported | null;
  summary: string;
  steps: Step[];
};

/** `secret` may be the public key (`whpk_…`) of a webhook with asymmetric signatures. */
export type Pasted = { headers: string; body: string; secret: string };

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
  const code = await verdict({ payload: body, header: found.signature, secret, now });
  const steps = [
    parsed.step,
    timeStep(parsed.timestamp, now),
    secretStep(secret),
    await signatureStep(parsed, { body, secret }),
    ...(found.standardSignature === null ? [] : [await standardStep(found, { body, secret, now })]),
    payloadStep(body),
  ];
  return concluded(code, steps);
}

function concluded(code: Inspection["code"], steps: Step[]): Inspection {
  const failed = steps.find(({ state }) => state === "failed");
  const summary =
    code === null
      ? "Valid: a receiver accepts this delivery."
      : `Rejected: the step “${failed?.name ?? "Header"}” failed.`;
  return { code, summary, steps };
}

async function verdict(input: VerifyWebhookInput) {
  try {
    await verifyWebhook(input);
    return null;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    if (isUnsupported(error)) return notSupported;
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

const base64Of32Bytes = /^[A-Za-z0-9+/]{43}=$/;

function secretStep(secret: string): Step {
  const name = "Secret";
  const step = (state: Step["state"], text: string): Step => ({ name, state, text });
  if (secret === "") return step("failed", "Paste the webhook's signing secret or public key.");
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
