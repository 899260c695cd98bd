import { runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import type { MailStatus } from "@/prisma/generated/enums";
import { mailPagePath, mailTransport } from "./mail-transport";
import { claimMailStatement, settleMailStatement } from "./send-mails.sql";
import { openMail } from "./service";
import { isPermanentRejection, sendBySmtp } from "./smtp";

const log = logOf("mail");

/** Seconds from each failed attempt to the next. After the last one, the mail fails for good. */
export const mailRetrySchedule = [30, 120, 600, 1_800, 7_200, 28_800];

type ClaimedMail = {
  id: string;
  kind: string;
  recipient: string;
  content: string | null;
  attemptCount: number;
  isTooLate: boolean;
};

type Outcome = { status: MailStatus; delaySeconds?: number; error?: string };

/**
 * Sends the mails that are due, one after the other. A mail is never sent again once it is recorded
 * as sent. After a crash between sending and recording, it is sent twice with the same Message-ID.
 * @returns how many mails it tried to send
 */
export async function sendMails(limit: number): Promise<number> {
  for (let tried = 0; tried < limit; tried++) {
    const [mail] = await runSql<ClaimedMail>(claimMailStatement({}));
    if (!mail) return tried;
    const { status, delaySeconds, error } = await attempt(mail);
    const isContentKept = status === "PENDING" || status === "KEPT";
    const { id, attemptCount: attemptNumber } = mail;
    const outcome = { status, delaySeconds, error, isContentKept };
    await runSql(settleMailStatement({ id, attemptNumber, ...outcome }));
    meter()?.count("mails", {
      outcome: status === "PENDING" ? "will_retry" : status.toLowerCase(),
    });
  }
  return limit;
}

async function attempt(mail: ClaimedMail): Promise<Outcome> {
  const facts = { mailId: mail.id, kind: mail.kind, recipient: mail.recipient };
  if (mail.isTooLate) return giveUp(facts, "it could not be sent in time");
  const way = mailTransport();
  if (way === "none")
    return giveUp(facts, "no mail server is configured: set SMTP_URL and MAIL_FROM");

  let error: unknown;
  try {
    const written = openMail(mail);
    if (!written) return giveUp(facts, "its content is gone");
    if (way === "page") {
      // Its links are as powerful as passwords, and more people can read the logs than the page.
      const content =
        env().NODE_ENV === "production" ? {} : { subject: written.subject, text: written.text };
      log.info(
        { ...facts, ...content, page: `${env().APP_URL}${mailPagePath}` },
        "a mail can be read on the mail page",
      );
      return { status: "KEPT" };
    }
    await sendBySmtp({ id: mail.id, to: mail.recipient, ...written });
    log.info(facts, "a mail was sent");
    return { status: "SENT" };
  } catch (thrown) {
    error = thrown;
  }
  const { message } = error as Error;
  const delaySeconds = mailRetrySchedule[mail.attemptCount - 1];
  if (delaySeconds === undefined || isPermanentRejection(error)) return giveUp(facts, message);
  log.warn(
    { ...facts, error: message, delaySeconds },
    "a mail could not be sent and will be tried again",
  );
  return { status: "PENDING", delaySeconds, error: message };
}

function giveUp(facts: object, error: string): Outcome {
  log.error({ ...facts, error }, "a mail was given up");
  return { status: "FAILED", error };
}
