import type { AdminMail, Mail } from "@/lib/mail/mail-kinds";
import { type Message, messages, subjects } from "@/lib/mail/mail-texts";
import type { Db } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";

/**
 * Call it in the transaction of what the mail is about. Without a target, or while it is suspended,
 * it does nothing.
 */
export async function queueAlert(
  transaction: Db,
  tenantId: string,
  mail: Extract<AdminMail, { kind: AlertKind }>,
): Promise<void> {
  const target = await transaction.alertTarget.findUnique({
    where: { tenantId, suspendedAt: null },
    select: { tenant: { select: { slug: true, name: true } } },
  });
  if (target) await queueText(transaction, tenantId, textOf({ ...mail, tenant: target.tenant }));
}

type AlertKind = "webhook-failing" | "webhook-disabled" | "storage-quota";

function messageOf(mail: Extract<Mail, { kind: AlertKind }>): Message {
  switch (mail.kind) {
    case "webhook-failing":
      return messages[mail.kind]({ ...mail, webhookUrl: withoutPath(mail.webhookUrl) });
    case "webhook-disabled":
      return messages[mail.kind]({ ...mail, webhookUrl: withoutPath(mail.webhookUrl) });
    case "storage-quota":
      return messages[mail.kind](mail);
  }
}

function textOf(mail: Extract<Mail, { kind: AlertKind }>): string {
  const { paragraphs, link } = messageOf(mail);
  const lines = [`*${subjects[mail.kind]}*`, ...paragraphs.map(escaped)];
  return [...lines, ...(link ? [`<${link.url}|${link.text}>`] : [])].join("\n");
}

/** More people read a chat than may see webhooks, and paths and queries often contain a secret. */
function withoutPath(webhookUrl: string): string {
  const { origin, href } = new URL(webhookUrl);
  return href === `${origin}/` ? origin : `${origin}/…`;
}

/** Slack's own escapes. Otherwise, a name could contain a link or notify a whole channel. */
export const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Queues a message for the organization's target, which must exist. */
export async function queueText(transaction: Db, tenantId: string, text: string): Promise<void> {
  const at = now();
  await transaction.alert.create({
    data: { id: newId("alert", at), tenantId, text, createdAt: at, nextAttemptAt: at },
  });
}
