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
  const key = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (character) =>
    character.charCodeAt(0),
  );
  return btoa(
    String.fromCharCode(...(await hmac(key, encoder.encode(`${id}.${timestamp}.`), body))),
  );
}

async function hmac(key: Uint8Array, before: Uint8Array, body: Uint8Array): Promise<Uint8Array> {
  const signed = new Uint8Array(before.length + body.length);
  signed.set(before);
  signed.set(body, before.length);
  const imported = await crypto.subtle.importKey(
    "raw",
    key as BufferSource,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, signed));
}
