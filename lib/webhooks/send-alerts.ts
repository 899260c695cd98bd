import { setTimeout as sleep } from "node:timers/promises";
import { mailRetrySchedule } from "@/lib/mail/send-mails";
import { runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { outboundRequest } from "@/lib/platform/outbound-http/outbound-request";
import { alertTargetContext, openSecret } from "@/lib/platform/secret-box";
import { sql, timeOf } from "@/lib/platform/sql";
import type { MailStatus } from "@/prisma/generated/enums";

const log = logOf("deliveries");

/** Longer than an attempt may take. */
const leaseSeconds = 60;

/** The chats that one process waits for at a time. Each organization has at most one of them. */
const mostInFlight = 32;
/** While chats do not respond, new alerts of other organizations are found this often. */
const lookAgainMs = 1_000;

/**
 * Claims the alert that has been due the longest, by counting its attempt. Organizations whose chat
 * has not responded yet wait for it, so that one of them never holds up the others.
 */
const claimAlertStatement = sql(
  "claim_alert",
  { now: "clock", exceptTenantIds: "text[]" },
  (p) => `
  WITH due AS MATERIALIZED (
    SELECT a.id FROM alerts a
    WHERE a.status = 'PENDING' AND a.next_attempt_at <= ${timeOf(p.now)} AND a.tenant_id <> ALL (${p.exceptTenantIds}) AND ${isNotMoving("a.tenant_id")}
      AND NOT EXISTS (SELECT 1 FROM alert_targets t WHERE t.tenant_id = a.tenant_id AND t.suspended_at IS NOT NULL)
    ORDER BY a.next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE alerts a SET attempt_count = a.attempt_count + 1, next_attempt_at = ${timeOf(p.now)} + interval '${leaseSeconds} seconds'
  FROM due, alert_targets t WHERE a.id = due.id AND t.tenant_id = a.tenant_id
  RETURNING a.id, a.tenant_id AS "tenantId", a.text, a.attempt_count AS "attemptCount", t.sealed_url AS "sealedUrl"`,
);

/**
 * Records an attempt. Its number identifies the process that claimed the alert. If it is tried again,
 * the organization's other alerts wait as long: they go to the same chat.
 */
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
  (p) => {
    const later = `${timeOf(p.now)} + make_interval(secs => ${p.delaySeconds})`;
    return `
  WITH settled AS (
    UPDATE alerts SET status = ${p.status}, error = ${p.error}, next_attempt_at = CASE WHEN ${p.status} = 'PENDING' THEN ${later} END
    WHERE id = ${p.id} AND attempt_count = ${p.attemptNumber} AND status = 'PENDING'
    RETURNING tenant_id, status
  )
  UPDATE alerts a SET next_attempt_at = greatest(a.next_attempt_at, ${later})
  FROM settled s WHERE s.status = 'PENDING' AND a.tenant_id = s.tenant_id AND a.status = 'PENDING' AND a.id <> ${p.id}`;
  },
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
 * Posts the alerts that are due: those of different organizations concurrently, those of one after
 * the other. After a crash between sending and recording, one is sent twice.
 * @returns how many it tried to send
 */
export async function sendAlerts(limit: number): Promise<number> {
  const inFlight = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  let tried = 0;
  while (tried < limit && failures.length === 0) {
    const waiting = [...inFlight.values()];
    const alert = waiting.length < mostInFlight && (await claim([...inFlight.keys()]));
    if (alert) {
      tried++;
      const { tenantId } = alert;
      const sent = send(alert)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => inFlight.delete(tenantId));
      inFlight.set(tenantId, sent);
    } else if (waiting.length > 0) {
      // One of them may have ended while others were claimed.
      await Promise.race([...waiting, sleep(lookAgainMs, undefined, { ref: false })]);
    } else {
      return tried;
    }
  }
  await Promise.all(inFlight.values());
  if (failures.length > 0) throw failures[0];
  return tried;
}

async function claim(exceptTenantIds: string[]): Promise<ClaimedAlert | undefined> {
  const [alert] = await runSql<ClaimedAlert>(claimAlertStatement({ exceptTenantIds }));
  return alert;
}

async function send(alert: ClaimedAlert): Promise<void> {
  const { status, delaySeconds, error } = await attempt(alert);
  const { id, attemptCount: attemptNumber } = alert;
  await runSql(settleAlertStatement({ id, attemptNumber, status, delaySeconds, error }));
}

async function attempt(alert: ClaimedAlert): Promise<Outcome> {
  const { tenantId, attemptCount } = alert;
  const { statusCode = null, error } = await post(alert);
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { status: "SENT" };
  const delaySeconds = mailRetrySchedule[attemptCount - 1];
  // If the URL is wrong or revoked, sending again does not help.
  const isFinal =
    statusCode !== null &&
    statusCode >= 400 &&
    statusCode < 500 &&
    statusCode !== 408 &&
    statusCode !== 429;
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
    headers: ["content-type", "application/json"],
    body: JSON.stringify({ text }),
  });
  if ("errorCode" in result) return { error: result.errorCode };
  return { statusCode: result.statusCode, error: `status ${result.statusCode}` };
}
