import { mailRetrySchedule } from "@/lib/mail/send-mails";
import { runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { outboundRequest } from "@/lib/platform/outbound-http/outbound-request";
import { alertTargetContext, openSecret } from "@/lib/platform/secret-box";
import { sql, timeOf } from "@/lib/platform/sql";
import type { MailStatus } from "@/prisma/generated/enums";

const log = logOf("deliveries");

/** Longer than an attempt may take. */
const leaseSeconds = 60;

/** Claims the alert that has been due the longest, by counting its attempt. */
const claimAlertStatement = sql(
  "claim_alert",
  { now: "clock" },
  (p) => `
  WITH due AS MATERIALIZED (
    SELECT id FROM alerts WHERE status = 'PENDING' AND next_attempt_at <= ${timeOf(p.now)} ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE alerts a SET attempt_count = a.attempt_count + 1, next_attempt_at = ${timeOf(p.now)} + interval '${leaseSeconds} seconds'
  FROM due, alert_targets t WHERE a.id = due.id AND t.tenant_id = a.tenant_id
  RETURNING a.id, a.tenant_id AS "tenantId", a.text, a.attempt_count AS "attemptCount", t.sealed_url AS "sealedUrl"`,
);

/** Records an attempt. Its number identifies the process that claimed the alert. */
const settleAlertStatement = sql(
  "settle_alert",
  {
    now: "clock",
    id: "text",
    attemptNumber: "int",
    status: "MailStatus",
    delaySeconds: "float8?",
    error: "text?",
  },
  (p) => `
  UPDATE alerts SET status = ${p.status}, error = ${p.error},
    next_attempt_at = CASE WHEN ${p.status} = 'PENDING' THEN ${timeOf(p.now)} + make_interval(secs => ${p.delaySeconds}) END
  WHERE id = ${p.id} AND attempt_count = ${p.attemptNumber} AND status = 'PENDING'`,
);

type ClaimedAlert = {
  id: string;
  tenantId: string;
  text: string;
  attemptCount: number;
  sealedUrl: string;
};

type Outcome = { status: MailStatus; delaySeconds?: number; error?: string };

/**
 * Posts the alerts that are due, one after the other. After a crash between sending and recording,
 * one is sent twice.
 * @returns how many it tried to send
 */
export async function sendAlerts(limit: number): Promise<number> {
  for (let tried = 0; tried < limit; tried++) {
    const [alert] = await runSql<ClaimedAlert>(claimAlertStatement({}));
    if (!alert) return tried;
    const { status, delaySeconds, error } = await attempt(alert);
    const { id, attemptCount: attemptNumber } = alert;
    await runSql(settleAlertStatement({ id, attemptNumber, status, delaySeconds, error }));
  }
  return limit;
}

async function attempt(alert: ClaimedAlert): Promise<Outcome> {
  const { tenantId, attemptCount } = alert;
  const { statusCode = null, error } = await post(alert);
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { status: "SENT" };
  const delaySeconds = mailRetrySchedule[attemptCount - 1];
  // If the URL is wrong or revoked, sending again does not help.
  const isFinal =
    statusCode !== null && statusCode < 500 && statusCode !== 408 && statusCode !== 429;
  log.warn({ tenantId, error, attemptCount }, "an alert could not be sent");
  return isFinal || delaySeconds === undefined
    ? { status: "FAILED", error }
    : { status: "PENDING", delaySeconds, error };
}

/** A URL that cannot be decrypted fails like one that cannot be reached, so that the others are sent. */
async function post({
  tenantId,
  text,
  sealedUrl,
}: ClaimedAlert): Promise<{ statusCode?: number; error: string }> {
  let url: string;
  try {
    url = openSecret(sealedUrl, alertTargetContext(tenantId));
  } catch (error) {
    return { error: (error as Error).message };
  }
  const result = await outboundRequest({
    connectionKey: `alerts:${tenantId}`,
    url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  if ("errorCode" in result) return { error: result.errorCode };
  return { statusCode: result.statusCode, error: `status ${result.statusCode}` };
}
