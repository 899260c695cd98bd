import { createHash, createHmac } from "node:crypto";
import { env } from "@/lib/platform/env";

export const firstHash = Buffer.alloc(32);

/**
 * The key that new entries are sealed with. Its id is derived from it, so two keys never share one.
 */
export const currentKeyId = (): string => keyIdOf(currentKey());

export const keyIdOf = (key: Buffer): string =>
  createHash("sha256").update(new Uint8Array(key)).digest("hex").slice(0, 8);

function currentKey(): Buffer {
  const [key] = env().AUDIT_KEYS;
  if (!key) throw new Error("AUDIT_KEYS is empty");
  return key;
}

/**
 * The hash of an entry: an HMAC over its content and its predecessor's hash. Without the key, which
 * the database does not hold, no entry can be forged.
 * @returns null if AUDIT_KEYS does not contain the key
 */
export function hashEntry(previousHash: Buffer, entry: { keyId: string }): Buffer | null {
  const key = env().AUDIT_KEYS.find((candidate) => keyIdOf(candidate) === entry.keyId);
  if (!key) return null;
  return createHmac("sha256", new Uint8Array(key))
    .update(new Uint8Array(previousHash))
    .update(canonicalJson(entry))
    .digest();
}

/**
 * JSON with sorted keys, so that an entry has the same text before it is written to the database
 * and after it is read.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
