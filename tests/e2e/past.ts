import { queryDatabase } from "./database";

const test = `environment = 'test'`;
const lastHours = (count: number) => `generate_series(0, ${count - 1}) AS n`;
const hour = `date_trunc('hour', now(), 'UTC') - n * interval '1 hour'`;
const day = `(now() AT TIME ZONE 'UTC')::date - n`;
/** More by day than at night, with some variation. */
const busy = (most: number, period: number) =>
  `(${most} * (1.3 + sin((n - 4) * 6.283 / ${period})) / 2.3)::int + n * 7919 % ${Math.ceil(most / 5)}`;

/**
 * Simulates the past weeks: data in the charts, and times that are spread out.
 */
const statements = [
  `INSERT INTO request_hours (tenant_id, environment, hour, api_key_id, succeeded, refused, failed)
   SELECT tenant_id, environment, ${hour}, id, ${busy(420, 24)}, n * 31 % 13, CASE WHEN n % 41 = 7 THEN 4 ELSE 0 END
   FROM api_keys, ${lastHours(700)} WHERE ${test} ON CONFLICT DO NOTHING`,
  `INSERT INTO webhook_hours (tenant_id, environment, webhook_id, hour, attempts, failures)
   SELECT tenant_id, environment, id, ${hour}, ${busy(260, 24)},
     CASE WHEN url NOT LIKE '%broken' THEN n * 31 % 43 / 40 ELSE CASE WHEN n < 3 THEN ${busy(260, 24)} ELSE (${busy(260, 24)}) / 25 END END
   FROM webhooks, ${lastHours(700)} WHERE ${test} ON CONFLICT DO NOTHING`,
  `INSERT INTO usage_days (tenant_id, environment, day, api_key_id, api_requests)
   SELECT tenant_id, environment, ${day}, id, ${busy(5_200, 7)} FROM api_keys, ${lastHours(60)} WHERE ${test} ON CONFLICT DO NOTHING`,
  `INSERT INTO delivery_days (tenant_id, environment, day, attempts, failures)
   SELECT id, 'test', ${day}, ${busy(3_100, 7)}, ${busy(40, 5)} FROM tenants, ${lastHours(60)} ON CONFLICT DO NOTHING`,
  `INSERT INTO conversation_days (tenant_id, environment, day, conversations_created, messages_received, messages_sent)
   SELECT id, 'test', ${day} - 1, ${busy(310, 7)}, ${busy(880, 7)}, ${busy(790, 7)} FROM tenants, ${lastHours(60)} ON CONFLICT DO NOTHING`,
  `WITH apart AS (SELECT id, row_number() OVER (ORDER BY id DESC) * interval '17 minutes' AS since FROM conversations),
   messages_apart AS (UPDATE messages m SET created_at = created_at - since FROM apart WHERE m.conversation_id = apart.id)
   UPDATE conversations c SET last_message_at = last_message_at - since, created_at = created_at - since, updated_at = updated_at - since
   FROM apart WHERE c.id = apart.id`,
  `UPDATE webhooks SET last_success_at = now() - interval '3 hours' WHERE url LIKE '%broken'`,
  // Completes the last onboarding step, too, so that the overview shows its normal content.
  `INSERT INTO api_keys (tenant_id, environment, id, name, hash, hint, scopes, created_at, last_used_at)
   SELECT tenant_id, 'live', translate(id, '0123456789', '1234567890'), 'Order system', sha256(hash), 'prl_live_…k2Qd', scopes, now(), now()
   FROM api_keys WHERE ${test}`,
];

export async function makePast(): Promise<void> {
  for (const statement of statements) await queryDatabase(statement, []);
}
