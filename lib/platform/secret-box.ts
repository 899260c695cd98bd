import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Partition } from "./caller";
import { env } from "./env";

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** `whsec_` and base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * Binds a webhook's secret to its row. Copied to another tenant, environment or webhook, it cannot
 * be decrypted.
 */
export function webhookSecretContext(
  { tenantId, environment }: Partition,
  webhookId: string,
): string {
  return `${tenantId}|${environment}|${webhookId}`;
}

/** Likewise for a webhook's custom headers. */
export function webhookHeadersContext(partition: Partition, webhookId: string): string {
  return `${webhookSecretContext(partition, webhookId)}|headers`;
}

/** Likewise for a response that is stored for an idempotency key and contains a secret. */
export function storedResponseContext({ tenantId, environment }: Partition, key: string): string {
  return `${tenantId}|${environment}|idempotency|${key}`;
}

/** Likewise for a mail that waits to be sent. */
export function mailContext(id: string): string {
  return `mail|${id}`;
}

/** Likewise for the secret that a user shares with their authenticator app. */
export function authenticatorContext(userId: string): string {
  return `authenticator|${userId}`;
}

/** The same for the URL of an organization's alerts. */
export function alertTargetContext(tenantId: string): string {
  return `alerts|${tenantId}`;
}

/**
 * Encrypts with the first master key of SECRET_KEYS and a random nonce.
 * @returns `<key id>.<base64url of nonce, ciphertext and tag>`; it opens only with the same
 * associated data.
 */
export function sealSecret(plaintext: string, associatedData: string): string {
  const [current] = env().SECRET_KEYS;
  if (!current) throw new Error("SECRET_KEYS holds no key");

  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, current.key, nonce, { authTagLength: tagLength }).setAAD(
    Buffer.from(associatedData),
  );
  const sealed = Buffer.concat([
    nonce,
    cipher.update(plaintext, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `${current.id}.${sealed.toString("base64url")}`;
}

/**
 * @throws Error, without any secret in it, if the master key is missing, the text was altered or
 * the associated data differs
 */
export function openSecret(sealed: string, associatedData: string): string {
  const dot = sealed.indexOf(".");
  const keyId = sealed.slice(0, Math.max(dot, 0));
  const master = env().SECRET_KEYS.find(({ id }) => id === keyId);
  if (!master)
    throw new Error(
      `SECRET_KEYS holds no key with the id "${keyId.slice(0, 25)}" that a stored secret was sealed with`,
    );

  const bytes = Buffer.from(sealed.slice(dot + 1), "base64url");
  if (bytes.length < nonceLength + tagLength) throw new Error("a stored secret is incomplete");
  const decipher = createDecipheriv(algorithm, master.key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(Buffer.from(associatedData)).setAuthTag(bytes.subarray(bytes.length - tagLength));
  return (
    decipher.update(bytes.subarray(nonceLength, bytes.length - tagLength), undefined, "utf8") +
    decipher.final("utf8")
  );
}
