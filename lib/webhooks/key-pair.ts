import { generateKeyPairSync } from "node:crypto";

/** An Ed25519 key pair in the formats of the Standard Webhooks specification. */
export type KeyPair = {
  /** `whsk_` and base64 of the 32 bytes of the seed, followed by those of the public key. */
  privateKey: string;
  /** `whpk_` and base64 of the 32 bytes of the public key. */
  publicKey: string;
};

export function generateKeyPair(): KeyPair {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const [seed, point] = [d, x].map((part) => Buffer.from(part, "base64url")) as [Buffer, Buffer];
  return {
    privateKey: `whsk_${Buffer.concat([seed, point]).toString("base64")}`,
    publicKey: `whpk_${point.toString("base64")}`,
  };
}

/** What is sealed for a webhook: its secret and, after a space, its private key. */
export const joinSecret = (secret: string, pair: KeyPair | null): string =>
  pair ? `${secret} ${pair.privateKey}` : secret;

export function splitSecret(text: string): { secret: string; privateKey: string | null } {
  const [secret = "", privateKey = null] = text.split(" ");
  return { secret, privateKey };
}
