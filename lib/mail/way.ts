import { env } from "@/lib/env";

/**
 * How mail leaves this installation: through an SMTP server; to a page that shows it to whoever develops or tries the
 * product on their own machine; or not at all, and then nothing is offered that would need it.
 */
export type MailWay = "smtp" | "page" | "none";

export function mailWay(): MailWay {
  const { SMTP_URL, MAIL_PAGE } = env();
  if (SMTP_URL) return "smtp";
  return MAIL_PAGE ? "page" : "none";
}

const ownNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The page shows links that are as good as passwords, so it is open to this machine alone, and where there is no mail
 * server. A browser that came by another name, through a proxy or a name that was bent to this address, finds nothing.
 */
export function isMailPageOpenTo(host: string | null): boolean {
  return mailWay() === "page" && ownNames.has(host?.replace(/:\d+$/, "") ?? "");
}

/** Below the application's address. */
export const mailPagePath = "/dev/mail";
