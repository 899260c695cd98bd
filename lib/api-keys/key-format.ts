import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { env } from "@/lib/platform/env";
import type { Environment } from "@/prisma/generated/enums";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 34;
const checksumLength = 6;
const keyPattern = /^([a-z][a-z0-9]{1,11})_(live|test)_([0-9A-Za-z]{40})$/;

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * The SHA-256 under which a key is stored and looked up. A key has 202 random bits, so a slow hash
 * would add no protection.
 */
export function hashKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/**
 * `<prefix>_<environment>_` and 40 characters of base62: 34 random ones, then the CRC-32 of
 * everything before it.
 */
export function generateKey(environment: Environment): { key: string; hash: Buffer; hint: string } {
  let text = `${env().SERVICE_PREFIX}_${environment}_`;
  const hintStart = text;
  for (let place = 0; place < randomLength; place++) text += base62[randomInt(62)];
  const key = text + checksum(text);
  return { key, hash: hashKey(key), hint: `${hintStart}…${key.slice(-4)}` };
}

/**
 * Whether this could be one of our keys. Needs no query, and almost always catches a mistyped
 * character.
 */
export function isWellFormedKey(key: string): boolean {
  const match = keyPattern.exec(key);
  return (
    match?.[1] === env().SERVICE_PREFIX &&
    checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength)
  );
}
