import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";

/** Longer than an attempt may take. After that, a mail whose worker was killed is claimed again. */
const leaseSeconds = 180;

/** Claims the mail that has been due the longest, by counting its attempt. */
export const claimMailStatement = sql(
  "claim_mail",
  { now: "clock" },
  (p) => `
  WITH due AS MATERIALIZED (
    SELECT id FROM mails WHERE status = 'PENDING' AND next_attempt_at <= ${timeOf(p.now)} AND ${isNotMoving("tenant_id")}
    ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE mails m SET attempt_count = m.attempt_count + 1, next_attempt_at = ${timeOf(p.now)} + interval '${leaseSeconds} seconds'
  FROM due WHERE m.id = due.id
  RETURNING m.id, m.kind, m.recipient, m.content, m.attempt_count AS "attemptCount",
    m.usable_until IS NOT NULL AND m.usable_until <= ${timeOf(p.now)} AS "isTooLate"`,
);

/** Records an attempt. Its number identifies the process that claimed the mail. */
export const settleMailStatement = sql(
  "settle_mail",
  {
    now: "clock",
    id: "text",
    attemptNumber: "int",
    status: "MailStatus",
    /** Seconds to the next attempt, if the mail stays pending. */
    delaySeconds: "float8?",
    error: "text?",
    isContentKept: "boolean",
  },
  (p) => `
  UPDATE mails SET
    status = ${p.status},
    next_attempt_at = CASE WHEN ${p.status} = 'PENDING' THEN ${timeOf(p.now)} + make_interval(secs => ${p.delaySeconds}) END,
    error = ${p.error},
    content = CASE WHEN ${p.isContentKept} THEN content END,
    sent_at = CASE WHEN ${p.status} = 'SENT' THEN ${timeOf(p.now)} END
  WHERE id = ${p.id} AND attempt_count = ${p.attemptNumber} AND status = 'PENDING'`,
);
