import { recordAudit } from "@/lib/audit/service";
import type { AdminMail, Mail } from "@/lib/mail/mail-kinds";
import { messages, subjects } from "@/lib/mail/mail-texts";
import type { Caller } from "@/lib/platform/caller";
import type { Db } from "@/lib/platform/db";
import { invalidBody } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { alertTargetContext, sealSecret } from "@/lib/platform/secret-box";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { findUrlProblem } from "./webhook-url";

// Alerts about webhooks for a chat: the texts of the mails, posted to an incoming webhook of Slack
// or of a service that takes the same body.

/**
 * Where the organization's alerts go, and the result of the latest one. The URL itself is a secret.
 */
export async function getAlertTarget(caller: Caller) {
  requireRole(caller, "ADMIN", "see where alerts go");
  const target = await caller.db.alertTarget.findUnique({
    where: { tenantId: caller.partition.tenantId },
    select: {
      host: true,
      changedAt: true,
      alerts: {
        orderBy: { id: "desc" },
        take: 1,
        select: { status: true, error: true, createdAt: true },
      },
    },
  });
  if (!target) return null;
  const { host, changedAt, alerts } = target;
  return { host, changedAt, newest: alerts[0] ?? null };
}

/**
 * Sends the organization's alerts to this URL from now on, starting with a confirmation. Null stops
 * them.
 * @throws AppError `validation` for a URL that webhooks must not reach
 */
export async function changeAlertTarget(caller: Caller, url: string | null): Promise<void> {
  requireRole(caller, "ADMIN", "change where alerts go");
  await requireStepUp(caller, "changeAlertTarget");
  const { db, partition } = caller;
  const { tenantId } = partition;
  const problem = url && findUrlProblem(url, { environment: "live" });
  if (problem) throw invalidBody("/url", "invalid", problem);

  const before = await db.alertTarget.findUnique({ where: { tenantId }, select: { host: true } });
  // This also deletes the alerts that wait for the earlier URL.
  await db.alertTarget.deleteMany({ where: { tenantId } });
  const host = url ? new URL(url).host : null;
  if (url && host) {
    const sealedUrl = sealSecret(url, alertTargetContext(tenantId));
    await db.alertTarget.create({ data: { tenantId, sealedUrl, host, changedAt: now() } });
    const { name } = await db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
    await queue(db, tenantId, escaped(`Alerts about the webhooks of ${name} are sent here.`));
  }
  await recordAudit(caller, {
    action: "alerts.changed",
    targetId: tenantId,
    changes: { before: { host: before?.host ?? null }, after: { host } },
  });
}

/** Call it in the transaction of what the mail is about. Without a target, it does nothing. */
export async function queueAlert(
  transaction: Db,
  tenantId: string,
  mail: Extract<AdminMail, { kind: "webhook-failing" | "webhook-disabled" }>,
): Promise<void> {
  const target = await transaction.alertTarget.findUnique({
    where: { tenantId },
    select: { tenant: { select: { slug: true, name: true } } },
  });
  if (target) await queue(transaction, tenantId, textOf({ ...mail, tenant: target.tenant }));
}

function textOf(mail: Extract<Mail, { kind: "webhook-failing" | "webhook-disabled" }>): string {
  const { paragraphs, link } =
    mail.kind === "webhook-failing" ? messages[mail.kind](mail) : messages[mail.kind](mail);
  const lines = [`*${subjects[mail.kind]}*`, ...paragraphs.map(escaped)];
  return [...lines, ...(link ? [`<${link.url}|${link.text}>`] : [])].join("\n");
}

/** Slack's own escapes. Otherwise, a name could contain a link or notify a whole channel. */
const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

async function queue(transaction: Db, tenantId: string, text: string): Promise<void> {
  const at = now();
  await transaction.alert.create({
    data: { id: newId("alert", at), tenantId, text, createdAt: at, nextAttemptAt: at },
  });
}
