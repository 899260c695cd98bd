const encoder = new TextEncoder();

/**
 * The expected `v1` of `X-Service-Signature`, in lower-case hex. The key is the whole secret,
 * including its prefix.
 */
export async function signatureOf(
  secret: string,
  timestamp: string,
  body: Uint8Array,
): Promise<string> {
  const digest = await hmac(encoder.encode(secret), encoder.encode(`${timestamp}.`), body);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The expected signature in `webhook-signature`, in base64. The key is the bytes that the secret
 * encodes.
 * @throws DOMException if it encodes none
 */
export async function standardSignatureOf(
  secret: string,
  id: string,
  timestamp: string,
  body: Uint8Array,
): Promise<string> {
  const key = bytesOf(secret.replace(/^whsec_/, ""));
  return base64Of(await hmac(key, encoder.encode(`${id}.${timestamp}.`), body));
}

type Signed = { id: string; timestamp: string; body: Uint8Array };

// cspell:disable-next-line
const beforeSeed = "MC4CAQAwBQYDK2VwBCIEIA=="; // what a PKCS #8 private key has before its seed
const ed25519 = { name: "Ed25519" };

/** A `v1a` of `webhook-signature`, in base64, by a private key (`whsk_…`). */
export async function signAsymmetrically(
  privateKey: string,
  { id, timestamp, body }: Signed,
): Promise<string> {
  const seed = bytesOf(privateKey.replace(/^whsk_/, "")).subarray(0, 32);
  const bytes = joined(bytesOf(beforeSeed), seed) as BufferSource;
  const key = await crypto.subtle.importKey("pkcs8", bytes, ed25519, false, ["sign"]);
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), body) as BufferSource;
  return base64Of(new Uint8Array(await crypto.subtle.sign(ed25519, key, signed)));
}

/**
 * A new pair of keys, to test a receiver that verifies with a public key. The private key goes to
 * `signTestWebhook`.
 */
export async function createTestKeyPair(): Promise<{ privateKey: string; publicKey: string }> {
  const pair = (await crypto.subtle.generateKey(ed25519, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    privateKey: `whsk_${base64Of(joined(pkcs8.slice(-32), point))}`,
    publicKey: `whpk_${base64Of(point)}`,
  };
}

/** Whether a `v1a` of `webhook-signature` was made with the private key of a public key (`whpk_…`). */
export async function verifiesAsymmetrically(
  publicKey: string,
  signature: string,
  { id, timestamp, body }: Signed,
): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    "raw",
    bytesOf(publicKey.replace(/^whpk_/, "")) as BufferSource,
    ed25519,
    false,
    ["verify"],
  );
  return crypto.subtle.verify(
    ed25519,
    key,
    bytesOf(signature) as BufferSource,
    joined(encoder.encode(`${id}.${timestamp}.`), body) as BufferSource,
  );
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** @throws DOMException for text that is not base64 */
const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function joined(before: Uint8Array, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(before.length + body.length);
  bytes.set(before);
  bytes.set(body, before.length);
  return bytes;
}

async function hmac(key: Uint8Array, before: Uint8Array, body: Uint8Array): Promise<Uint8Array> {
  const signed = joined(before, body);
  const imported = await crypto.subtle.importKey(
    "raw",
    key as BufferSource,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, signed as BufferSource));
}
