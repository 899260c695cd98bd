import type { Transporter } from "nodemailer";
import { env } from "@/lib/platform/env";
import type { WrittenMail } from "./write-mail";

const connectTimeoutMs = 10_000;
const idleTimeoutMs = 20_000;
/**
 * The limit for the whole attempt. An idle timeout is not enough, because a server can send a byte
 * now and then.
 */
const attemptTimeoutMs = 60_000;

type Outgoing = WrittenMail & { id: string; to: string };

/**
 * @throws Error whose message is safe to log: it contains the server's message and nothing from the
 * mail
 */
export async function sendBySmtp({ id, to, subject, text, html }: Outgoing): Promise<void> {
  const { MAIL_FROM } = env();
  const from = MAIL_FROM ?? "";
  const domain = /@([^@\s>]+)>?$/.exec(from)?.[1] ?? "localhost";
  await within(attemptTimeoutMs, (transport) =>
    transport.sendMail({
      from,
      to: { name: "", address: to },
      subject,
      text,
      html,
      // The same for every attempt, so that a mailbox can recognize a duplicate.
      messageId: `<${id}@${domain}>`,
      // Tells mailboxes not to send an out-of-office reply.
      headers: { "Auto-Submitted": "auto-generated" },
    }),
  );
}

/** For `doctor`: connects and signs in, but sends nothing. */
export async function checkSmtp(): Promise<void> {
  await within(connectTimeoutMs, (transport) => transport.verify());
}

async function within<Result>(
  timeoutMs: number,
  work: (transport: Transporter) => Promise<Result>,
): Promise<Result> {
  // Loaded on demand, because it is large and needed only if SMTP is configured.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url: env().SMTP_URL ?? "",
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: idleTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the mail server took too long")), timeoutMs);
  });
  try {
    return await Promise.race([work(transport), late]);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

/** The server will never accept this mail, for example because the address does not exist. */
export function isPermanentRejection(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: string; responseCode?: number };
  return (
    (code === "EENVELOPE" || code === "EMESSAGE") &&
    responseCode !== undefined &&
    responseCode >= 500
  );
}
