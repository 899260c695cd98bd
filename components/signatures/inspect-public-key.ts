import { verifiesAsymmetrically } from "@/sdk/src/sign";
import { type BodyAndSecret, explainMismatch } from "./explain-mismatch";
import type { SignatureHeaders } from "./find-signature-headers";
import { payloadStep, type Step, timeStep } from "./steps";

const publicKey = /^whpk_[A-Za-z0-9+/]{43}=$/;

/** Whether this was meant as a public key, even with quotation marks or spaces around it. */
export const isPublicKey = (text: string): boolean => /^[\s'"]*whpk_/.test(text);

/** The name of the error of browsers without Ed25519. */
export const notSupported = "NotSupportedError";

export const isUnsupported = (error: unknown): boolean =>
  error instanceof Error && error.name === notSupported;

/** The steps for a webhook with asymmetric signatures, which its public key verifies. */
export async function stepsWithPublicKey(
  headers: SignatureHeaders,
  { body, secret, now }: BodyAndSecret & { now: Date },
): Promise<Step[]> {
  const { step, timestamp, signatures } = parseHeaders(headers);
  return [
    step,
    timeStep(timestamp, now),
    keyStep(secret),
    await signatureStep({ id: headers.id ?? "", timestamp, signatures }, { body, secret }),
    payloadStep(body),
  ];
}

type Parsed = { step: Step; timestamp: string | null; signatures: string[] };

function parseHeaders({ id, timestamp, standardSignature }: SignatureHeaders): Parsed {
  const name = "Headers";
  const isTime = timestamp !== null && /^\d{1,12}$/.test(timestamp);
  const fail = (text: string): Parsed => ({
    step: { name, state: "failed", text },
    timestamp: isTime ? timestamp : null,
    signatures: [],
  });
  if (!id || !timestamp || !standardSignature)
    return fail(
      "A public key needs all three headers: webhook-id, webhook-timestamp and webhook-signature.",
    );
  if (!isTime) return fail("webhook-timestamp must be a time in Unix seconds.");
  const signatures = standardSignature
    .split(" ")
    .flatMap((part) => (part.startsWith("v1a,") ? [part.slice("v1a,".length)] : []));
  if (signatures.length === 0)
    return fail(
      "webhook-signature has no v1a signature. Set the webhook's signature to Key pair (Ed25519) or Both.",
    );
  if (signatures.includes("…"))
    return fail(
      "The signature is missing. It is not stored, so copy the header from your receiver.",
    );
  const count =
    signatures.length === 1
      ? "one v1a signature"
      : `${signatures.length} v1a signatures, as during a rotation`;
  return { step: { name, state: "passed", text: `One time and ${count}.` }, timestamp, signatures };
}

function keyStep(key: string): Step {
  const name = "Public key";
  if (publicKey.test(key)) return { name, state: "passed", text: "The format is valid." };
  return {
    name,
    state: "failed",
    text: "A public key is whpk_ and 44 characters of base64, without spaces or quotation marks around it.",
  };
}

async function signatureStep(
  { id, timestamp, signatures }: { id: string; timestamp: string | null; signatures: string[] },
  given: BodyAndSecret,
): Promise<Step> {
  const name = "Signature";
  if (timestamp === null || signatures.length === 0 || !publicKey.test(given.secret)) {
    return {
      name,
      state: "not-checked",
      text: "Paste the headers and the public key to check the signature.",
    };
  }
  const matches = async ({ body, secret }: BodyAndSecret) => {
    const signed = { id, timestamp, body: new TextEncoder().encode(body) };
    for (const signature of signatures)
      if (await verifiesAsymmetrically(secret, signature, signed).catch(refuseMalformed))
        return true;
    return false;
  };
  try {
    if (await matches(given)) return { name, state: "passed", text: "A v1a signature matches." };
    const explanation = await explainMismatch(given, matches);
    return { name, state: "failed", text: explanation ?? unexplained };
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    return {
      name,
      state: "failed",
      text: "This browser cannot verify Ed25519 signatures. Use a newer one.",
    };
  }
}

const unexplained =
  "No v1a signature matches, and no common mistake explains it. The key may be an older one or another webhook's key, or the body may differ from the one that was sent.";

/** Text that is not base64 of a signature matches nothing. */
function refuseMalformed(error: Error): false {
  if (isUnsupported(error)) throw error;
  return false;
}
