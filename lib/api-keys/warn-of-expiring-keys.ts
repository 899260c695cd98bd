import { queueMailToAdmins } from "@/lib/mail/service";
import { db, runStatement, type Statement } from "@/lib/platform/db";
import { currentTime } from "@/lib/platform/time";
import type { Environment } from "@/prisma/generated/enums";

/**
 * Days before expiry at which a key's organization is notified. Each warning is due until the next
 * one.
 */
const warnings = [
  { days: 7, untilDays: 1 },
  { days: 1, untilDays: 0 },
];

const now = "coalesce($1::timestamptz, now())";

/** A key whose expiry was postponed needs a new warning, so the expiry is part of the name. */
const name =
  "'api-key-expiring:' || k.id || ':' || floor(extract(epoch FROM k.expires_at)) || ':' || $2::int";

/**
 * Keys that expire within $2 days but not within $3, and have an admin who got no mail about it
 * yet. A key that was created for a shorter time, or that was rolled, ends as planned and needs no
 * warning.
 */
const expiringStatement: Statement = {
  name: "expiring_api_keys",
  text: `
  SELECT k.tenant_id AS "tenantId", k.environment, k.name AS "keyName", k.hint AS "keyHint", k.expires_at AS "expiresAt", ${name} AS "mailName"
  FROM api_keys k
  WHERE k.expires_at > ${now} + make_interval(days => $3::int) AND k.expires_at <= ${now} + make_interval(days => $2::int)
    AND k.created_at < k.expires_at - make_interval(days => $2::int) - interval '1 hour'
    AND k.revoked_at IS NULL AND k.replaced_by_id IS NULL
    AND EXISTS (
      SELECT 1 FROM memberships m WHERE m.tenant_id = k.tenant_id AND m.role IN ('OWNER', 'ADMIN') AND m.suspended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.name = ${name} || ':' || m.user_id))
  ORDER BY k.expires_at LIMIT $4::int`,
};

type ExpiringKey = {
  tenantId: string;
  environment: Environment;
  keyName: string;
  keyHint: string;
  expiresAt: Date;
  mailName: string;
};

/**
 * Notifies owners and admins a week and a day before a key expires. @returns how many keys it
 * warned about
 */
export async function warnOfExpiringKeys(limit: number): Promise<number> {
  let told = 0;
  for (const { days, untilDays } of warnings) {
    const keys = await runStatement<ExpiringKey>(expiringStatement, [
      currentTime(),
      days,
      untilDays,
      limit,
    ]);
    for (const { tenantId, mailName, ...key } of keys) {
      await queueMailToAdmins(
        db(),
        tenantId,
        { kind: "api-key-expiring", ...key },
        { name: mailName, usableUntil: key.expiresAt },
      );
    }
    told += keys.length;
  }
  return told;
}
