import type { Statement } from "@/lib/platform/db";

const now = "coalesce($1::timestamptz, clock_timestamp())";

/**
 * Longer than an attempt may take. After this, another worker can claim the mail of a worker that
 * was killed.
 */
const leaseSeconds = 180;

/** $1 now. Claims the mail that has been due the longest, by counting its attempt. */
export const claimMailStatement: Statement = {
  name: "claim_mail",
  text: `
  WITH due AS MATERIALIZED (
    SELECT id FROM mails WHERE status = 'PENDING' AND next_attempt_at <= ${now} ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE mails m SET attempt_count = m.attempt_count + 1, next_attempt_at = ${now} + interval '${leaseSeconds} seconds'
  FROM due WHERE m.id = due.id
  RETURNING m.id, m.kind, m.recipient, m.content, m.attempt_count AS "attemptCount",
    m.usable_until IS NOT NULL AND m.usable_until <= ${now} AS "isTooLate"`,
};

/**
 * $1 now, $2 id, $3 the attempt's number, by which its holder is known, $4 the new status, $5
 * seconds to the next attempt where it stays pending, $6 what went wrong, $7 whether its content is
 * kept.
 */
export const settleMailStatement: Statement = {
  name: "settle_mail",
  text: `
  UPDATE mails SET
    status = $4::"MailStatus",
    next_attempt_at = CASE WHEN $4::"MailStatus" = 'PENDING' THEN ${now} + make_interval(secs => $5::float8) END,
    error = $6::text,
    content = CASE WHEN $7::boolean THEN content END,
    sent_at = CASE WHEN $4::"MailStatus" = 'SENT' THEN ${now} END
  WHERE id = $2::text AND attempt_count = $3::int AND status = 'PENDING'`,
};
