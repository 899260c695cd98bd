import { createHash, timingSafeEqual } from "node:crypto";
import { env } from "@/lib/platform/env";
import { cameThroughProxy } from "@/lib/platform/proxy-detection";

/**
 * How this installation sends mail: through an SMTP server; to a page on this machine, for
 * development and for trying the product out; or not at all. Without mail, features that need it
 * are not offered.
 */
export type MailTransport = "smtp" | "page" | "none";

export function mailTransport(): MailTransport {
  const { SMTP_URL, MAIL_PAGE } = env();
  if (SMTP_URL) return "smtp";
  return MAIL_PAGE ? "page" : "none";
}

/**
 * The page shows links that are as powerful as passwords. It opens only for a browser on this
 * machine, at a loopback name, with the token that `npm start` prints, and never for a request that
 * came through a proxy or tunnel.
 */
export function isMailPageOpenTo(
  headers: Iterable<[string, string | string[] | undefined]>,
  token: unknown,
): boolean {
  const { MAIL_PAGE_TOKEN } = env();
  if (
    mailTransport() !== "page" ||
    !MAIL_PAGE_TOKEN ||
    typeof token !== "string" ||
    cameThroughProxy(headers)
  )
    return false;
  return timingSafeEqual(digest(token), digest(MAIL_PAGE_TOKEN));
}

const digest = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());

/** Below the application's address. */
export const mailPagePath = "/dev/mail";
