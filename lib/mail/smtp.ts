import { createTransport, type Transporter } from "nodemailer";
import { env } from "@/lib/platform/env";
import type { WrittenMail } from "./messages";

const connectTimeoutMs = 10_000;
const idleTimeoutMs = 20_000;
/** Around all of it, because a server that says a word now and then is never idle. */
const attemptTimeoutMs = 60_000;

type Outgoing = WrittenMail & { id: string; to: string };

/**
 * @throws Error whose message is fit for a log: the server's own words, and nothing of the mail.
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
      // The same at each attempt, so that a mailbox can tell that it has it already.
      messageId: `<${id}@${domain}>`,
      // No answer "I am on holiday" to a machine.
      headers: { "Auto-Submitted": "auto-generated" },
    }),
  );
}

/** For the doctor: connects and signs in, and sends nothing. */
export async function checkSmtp(): Promise<void> {
  await within(connectTimeoutMs, (transport) => transport.verify());
}

async function within<Result>(
  timeoutMs: number,
  work: (transport: Transporter) => Promise<Result>,
): Promise<Result> {
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

/**
 * The server will not have this mail, today or tomorrow: the address does not exist, for example.
 */
export function isPermanentRejection(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: string; responseCode?: number };
  return (
    (code === "EENVELOPE" || code === "EMESSAGE") &&
    responseCode !== undefined &&
    responseCode >= 500
  );
}
