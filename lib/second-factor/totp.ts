import { createHmac, timingSafeEqual } from "node:crypto";

// Codes as in RFC 6238 with its defaults, which every authenticator app supports.

const stepSeconds = 30;
const digits = 6;
/** How many steps a clock may be off, in both directions. */
const tolerance = 1;

export function totp(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

export const stepAt = (at: Date): number => Math.floor(at.getTime() / 1000 / stepSeconds);

/** The step that the code belongs to; null if it is not valid now. */
export function findStep(secret: Uint8Array, code: string, at: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const sent = Buffer.from(code);
  for (let step = stepAt(at) + tolerance; step >= stepAt(at) - tolerance; step--)
    if (timingSafeEqual(Buffer.from(totp(secret, step)), sent)) return step;
  return null;
}

/** What an authenticator app reads from a QR code. */
export function setUpUri(secret: string, account: string): string {
  const query = new URLSearchParams({ secret, issuer: "Parlance" });
  return `otpauth://totp/Parlance:${encodeURIComponent(account)}?${query}`;
}
