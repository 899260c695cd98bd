import { queueMailToAdmins } from "@/lib/mail/service";
import { db, runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";
import type { Environment } from "@/prisma/generated/enums";

/**
 * Days before expiry at which a key's organization is notified. Each warning is due until the next
 * one.
 */
const warnings = [
  { days: 7, untilDays: 1 },
  { days: 1, untilDays: 0 },
];

/**
 * Keys that expire within `days`, but not within `untilDays`, if at least one of their admins has
 * no mail about it yet. A key that was created for a shorter time, or that was rolled, is left out,
 * because someone chose its expiry only recently. The mail's name includes the expiry, so that a
 * key whose expiry was postponed is announced again.
 */
const expiringStatement = sql(
  "expiring_api_keys",
  { now: "clock", days: "int", untilDays: "int", except: "text[]", limit: "int" },
  (p) => {
    const now = timeOf(p.now);
    const name = `'api-key-expiring:' || k.id || ':' || floor(extract(epoch FROM k.expires_at)) || ':' || ${p.days}`;
    return `
  SELECT k.tenant_id AS "tenantId", k.environment, k.id, k.name AS "keyName", k.hint AS "keyHint", k.expires_at AS "expiresAt", ${name} AS "mailName"
  FROM api_keys k
  WHERE k.expires_at > ${now} + make_interval(days => ${p.untilDays}) AND k.expires_at <= ${now} + make_interval(days => ${p.days})
    AND k.created_at < k.expires_at - make_interval(days => ${p.days}) - interval '1 hour'
    AND k.revoked_at IS NULL AND k.replaced_by_id IS NULL AND k.id <> ALL (${p.except}) AND ${isNotMoving("k.tenant_id")}
    AND EXISTS (
      SELECT 1 FROM memberships m WHERE m.tenant_id = k.tenant_id AND m.role IN ('OWNER', 'ADMIN') AND m.suspended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.name = ${name} || ':' || m.user_id))
  ORDER BY k.expires_at LIMIT ${p.limit}`;
  },
);

type ExpiringKey = {
  tenantId: string;
  environment: Environment;
  id: string;
  keyName: string;
  keyHint: string;
  expiresAt: Date;
  mailName: string;
};

const leftOutKeys = leaveOut(
  "a warning of an expiring key could not be queued and will be tried again",
);

/**
 * Notifies owners and admins a week and a day before a key expires. @returns how many keys it
 * tried to warn about
 */
export async function warnOfExpiringKeys(limit: number): Promise<number> {
  let warned = 0;
  for (const { days, untilDays } of warnings) {
    const except = leftOutKeys.ids();
    const keys = await runSql<ExpiringKey>(expiringStatement({ days, untilDays, except, limit }));
    for (const { tenantId, id, mailName, ...key } of keys)
      await leftOutKeys.attempt(id, { tenantId, apiKeyId: id }, () =>
        queueMailToAdmins(
          db(),
          tenantId,
          { kind: "api-key-expiring", ...key },
          { name: mailName, usableUntil: key.expiresAt },
        ),
      );
    warned += keys.length;
  }
  return warned;
}
