import { createHmac } from "node:crypto";

/**
 * `secrets` are complete, as they were shown to the user (`whsec_…`), newest first. `body` is
 * exactly what is sent.
 */
export type Signable = { secrets: string[]; timestampSeconds: number; body: string };

const secretPrefix = "whsec_";

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
 * is the bytes that the secret encodes, without its prefix. `id` is the event's, so a receiver can
 * drop an event that it has seen.
 */
export function standardWebhooksHeaders({
  secrets,
  timestampSeconds,
  body,
  id,
}: Signable & { id: string }): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(
      secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
      "base64",
    );
    return `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures.join(" "),
  };
}
