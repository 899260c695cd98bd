import { createHash, timingSafeEqual } from "node:crypto";
import { env } from "@/lib/platform/env";
import { cameThroughProxy } from "@/lib/platform/proxy-detection";

/**
 * How mail leaves this installation: through an SMTP server; to a page on this machine, for
 * development and trying the product out; or not at all, and then features that need mail are not
 * offered.
 */
export type MailTransport = "smtp" | "page" | "none";

export function mailTransport(): MailTransport {
  const { SMTP_URL, MAIL_PAGE } = env();
  if (SMTP_URL) return "smtp";
  return MAIL_PAGE ? "page" : "none";
}

/**
 * The page shows links that are as good as passwords. It opens to a browser on this machine, at a
 * loopback name, with the token that `npm start` prints, and never to a request that came through a
 * proxy or tunnel.
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
