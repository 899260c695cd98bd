import { createHash, randomBytes } from "node:crypto";

/**
 * A token for a link, which is as powerful as a password while it is valid. Only its hash is
 * stored; 256 random bits need no slow hash.
 */
export function newToken(): { token: string; hash: Uint8Array<ArrayBuffer> } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(token).digest());
}
