import { createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto";

/**
 * `secrets` are complete, as they were shown to the user (`whsec_…`), newest first. `body` is
 * exactly what is sent.
 */
export type Signable = { secrets: string[]; timestampSeconds: number; body: string };

const secretPrefix = "whsec_";

/** @param text `whsk_` and base64 of a seed and its public key */
export function readPrivateKey(text: string): KeyObject {
  const bytes = Buffer.from(text.replace(/^whsk_/, ""), "base64");
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) =>
    part.toString("base64url"),
  ) as [string, string];
  return createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d, x }, format: "jwk" });
}

/**
 * The value of `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, one `v1` for each secret, over
 * `<t>.<body>`. The key is the whole secret with its prefix, as Stripe's verifier expects.
 */
export function signatureHeader({ secrets, timestampSeconds, body }: Signable): string {
  let header = `t=${timestampSeconds}`;
  for (const secret of secrets) {
    header += `,v1=${createHmac("sha256", secret).update(`${timestampSeconds}.${body}`).digest("hex")}`;
  }
  return header;
}

/**
 * The three headers of the Standard Webhooks specification, over `<id>.<timestamp>.<body>`. The key
 * of a `v1` is the bytes that the secret encodes, without its prefix. A `v1a` is an Ed25519
 * signature. `id` is the event's, so a receiver can drop an event that it has seen.
 */
export function standardWebhooksHeaders({
  secrets,
  privateKeys = [],
  timestampSeconds,
  body,
  id,
}: Signable & { id: string; privateKeys?: KeyObject[] }): Record<string, string> {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(
      secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
      "base64",
    );
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  for (const key of privateKeys)
    signatures.push(`v1a,${sign(null, Buffer.from(signed), key).toString("base64")}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures.join(" "),
  };
}
