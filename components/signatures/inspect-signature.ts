import { signatureOf, standardSignatureOf } from "@/sdk/src/sign";
import {
  verifyWebhook,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "@/sdk/src/webhooks";
import { findSignatureHeaders, type SignatureHeaders } from "./find-signature-headers";

export type Step = {
  name: string;
  state: "passed" | "failed" | "doubtful" | "not-checked";
  text: string;
};

/**
 * `code`: what the TypeScript client's `verifyWebhook` answers; null where it takes the delivery.
 */
export type Inspection = { code: WebhookVerificationCode | null; summary: string; steps: Step[] };

export type Pasted = { headers: string; body: string; secret: string };

const toleranceSeconds = 300;
const encoder = new TextEncoder();

/**
 * Goes through the verification of a delivery step by step, and does not stop at the first that
 * fails. Sends nothing.
 */
export async function inspectSignature(
  { headers, body, secret }: Pasted,
  now: Date,
): Promise<Inspection> {
  const found = findSignatureHeaders(headers);
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
      : `Refused: the step “${failed?.name ?? "Header"}” fails.`;
  return { code, summary, steps };
}

type Given = { body: string; secret: string };

async function verdict(
  { signature }: SignatureHeaders,
  { body, secret, now }: Given & { now: Date },
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
  if (!timestamp) return fail("It has no t=…, the time of signing in Unix seconds.");
  if (furtherTimes.length > 0) return fail("It has more than one t=….");
  if (/^\d{13}$/.test(timestamp))
    return fail(
      "Its t is in milliseconds. The service sends seconds, so something has changed it.",
    );
  if (!/^\d{1,12}$/.test(timestamp))
    return fail(`Its t, “${timestamp.slice(0, 40)}”, is not a time in Unix seconds.`);
  if (signatures.length === 0) return fail("It has no v1=…, the signature.", timestamp);
  if (signatures.includes("…")) {
    return fail(
      "The signature itself is missing. It is not stored, so copy the header from your receiver.",
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
    return { name, state: "not-checked", text: "There is no time to compare." };
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  const exact = `${new Date(Number(timestamp) * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  if (ageSeconds > toleranceSeconds) {
    return {
      name,
      state: "failed",
      text: `Signed at ${exact}, ${inWords(ageSeconds)} ago. Receivers refuse what is older than five minutes. If your receiver got it just now, its clock or this one is wrong; an old request has to be sent again.`,
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
      "There are spaces or a line end round it, which count as parts of the key.",
    );
  if (/^(['"]).*\1$/.test(secret))
    return step("failed", "There are quotation marks round it, which count as parts of the key.");
  if (/^[a-z]+_(live|test)_[0-9A-Za-z]{40}$/.test(secret))
    return step("failed", "This is an API key. The signing secret starts with whsec_.");
  if (!secret.startsWith("whsec_"))
    return step(
      "failed",
      "It does not start with whsec_. The key is the whole secret, including that prefix.",
    );
  if (secret.includes("…"))
    return step(
      "failed",
      "This is the hint that the dashboard shows, not the secret. That was shown once, when it was made.",
    );
  if (!base64Of32Bytes.test(secret.slice(6))) {
    return step(
      "doubtful",
      `Ours have 50 characters and end in =; this one has ${secret.length}. Was it copied whole?`,
    );
  }
  return step("passed", "It has the right form.");
}

async function signatureStep(
  { timestamp, signatures }: ParsedSignature,
  { body, secret }: Given,
): Promise<Step> {
  const name = "Signature";
  if (timestamp === null || signatures.length === 0 || secret === "") {
    return { name, state: "not-checked", text: "It needs the header and the secret." };
  }
  const fits = async (candidate: Given) => {
    const expected = await signatureOf(candidate.secret, timestamp, encoder.encode(candidate.body));
    return signatures.indexOf(expected);
  };
  const place = await fits({ body, secret });
  if (place >= 0) {
    const which =
      signatures.length === 1
        ? "The signature fits"
        : `Signature ${place + 1} of ${signatures.length} fits; one is enough`;
    return { name, state: "passed", text: `${which}.` };
  }

  const expected = await signatureOf(secret, timestamp, encoder.encode(body));
  if (signatures.some((signature) => signature.toLowerCase() === expected)) {
    return {
      name,
      state: "failed",
      text: "It would fit in lower case. Something has changed the header's letters.",
    };
  }
  const explanation = await explain(
    { body, secret },
    async (candidate) => (await fits(candidate)) >= 0,
  );
  const compared = `Over this body with this secret, v1 would be ${expected}.`;
  return {
    name,
    state: "failed",
    text:
      explanation ??
      `No signature fits, and no usual mistake explains it: it is another webhook's secret (each has its own, in live and in test), an older one, or not the body that was sent. ${compared}`,
  };
}

/**
 * What is tried when nothing fits: the changes that bodies and secrets suffer most. The first that
 * makes it fit explains it.
 */
async function explain(
  given: Given,
  fits: (candidate: Given) => Promise<boolean>,
): Promise<string | null> {
  const secrets = secretVariants(given.secret);
  const bodies = bodyVariants(given.body);
  for (const [secret, text] of secrets) if (await fits({ ...given, secret })) return text;
  for (const [body, text] of bodies) if (await fits({ ...given, body })) return text;
  for (const [secret, ofSecret] of secrets) {
    for (const [body, ofBody] of bodies)
      if (await fits({ body, secret })) return `${ofSecret} ${ofBody}`;
  }
  return null;
}

type Variant = [changed: string, explanation: string];

function secretVariants(secret: string): Variant[] {
  const bare = secret.trim().replace(/^(['"])(.*)\1$/, "$2");
  const variants: Variant[] = [
    [bare, "It matches the secret without the characters around it."],
    [`whsec_${bare}`, "It fits the secret with whsec_ in front: that is part of the key."],
    [
      bare.replace(/^whsec_/, ""),
      "It fits the secret without whsec_, which is not how the service signs: something else has signed this.",
    ],
  ];
  return variants.filter(([changed]) => changed !== secret && changed !== "");
}

const raw = "Verify the bytes as they arrived, before anything parses them.";

function bodyVariants(body: string): Variant[] {
  const variants: Variant[] = [
    [
      body.replace(/\n$/, ""),
      `It fits the body without the line end at its end: something has added one. ${raw}`,
    ],
    [
      `${body}\n`,
      `It fits the body with a line end at its end: something has taken it away. ${raw}`,
    ],
    [
      body.replace(/^\uFEFF/, ""),
      `It fits the body without the byte order mark in front: something has added that. ${raw}`,
    ],
    [
      body.trim(),
      `It fits the body without the white space round it: something has added that. ${raw}`,
    ],
    [
      body.replaceAll("\n", "\r\n"),
      `It fits the body with CRLF as line ends. Fields of browsers turn these into LF: if your receiver has them, all is well.`,
    ],
  ];
  const value = parseJson(body);
  if (typeof value === "string")
    variants.push([
      value,
      `It fits the text inside: the body was made into a JSON string once more. ${raw}`,
    ]);
  if (value !== undefined) {
    const printed = JSON.stringify(value);
    const note = `the body was parsed and serialized again. ${raw}`;
    variants.push(
      [printed, `It fits the same JSON without white space: ${note}`],
      [
        printed.replace(/[\u0080-\uffff]/g, escaped),
        `It fits the same JSON with letters written as \\u….: ${note}`,
      ],
    );
  }
  return variants.filter(([changed]) => changed !== body);
}

const escaped = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function standardStep(
  { id, timestamp, standardSignature }: SignatureHeaders,
  { body, secret, now }: Given & { now: Date },
): Promise<Step> {
  const name = "Standard Webhooks";
  const step = (state: Step["state"], text: string): Step => ({ name, state, text });
  if (!id || !timestamp)
    return step("failed", "webhook-signature needs webhook-id and webhook-timestamp beside it.");
  const age = Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp));
  const expected = await standardSignatureOf(secret, id, timestamp, encoder.encode(body)).catch(
    () => null,
  );
  if (expected === null)
    return step(
      "failed",
      "The secret is not base64 after its whsec_ prefix, so it contains no key.",
    );
  const signatures = (standardSignature ?? "").split(" ");
  if (!signatures.some((signature) => signature.startsWith("v1,")))
    return step("failed", "webhook-signature has the form v1,<base64>.");
  if (!signatures.includes(`v1,${expected}`))
    return step(
      "failed",
      "No signature of webhook-signature fits over webhook-id, webhook-timestamp and this body.",
    );
  if (!(age <= toleranceSeconds))
    return step(
      "failed",
      "The signature fits, but webhook-timestamp lies more than five minutes away.",
    );
  return step("passed", "The three headers match as well.");
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
    text: "This is not an event: it must be JSON with an id and a type.",
  };
}
