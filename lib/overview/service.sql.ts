import { sql } from "@/lib/platform/sql";

/** Everything that the checklist needs, in one row. The latest request has no id if there is none. */
export const onboardingStatement = sql("onboarding", { tenantId: "text" }, (p) => {
  const inTest = `tenant_id = ${p.tenantId} AND environment = 'test'`;
  const inLive = `tenant_id = ${p.tenantId} AND environment = 'live'`;
  const hasUsableKey = (partition: string) =>
    `EXISTS (SELECT FROM api_keys WHERE ${partition} AND revoked_at IS NULL)`;
  // The condition of api_keys_succeeded_idx.
  const hasSucceeded = (partition: string) =>
    `EXISTS (SELECT FROM api_keys WHERE ${partition} AND first_succeeded_at IS NOT NULL)`;
  return `
  SELECT ${hasUsableKey(inTest)} OR ${hasSucceeded(inTest)} AS "hasTestKey", ${hasSucceeded(inTest)} AS "hasSucceeded",
    ${hasUsableKey(inLive)} OR ${hasSucceeded(inLive)} AS "hasLiveKey", ${hasSucceeded(inLive)} AS "hasSucceededLive",
    (
      SELECT json_build_object('id', id, 'url', url, 'hasReceived', last_success_at IS NOT NULL) FROM webhooks
      WHERE ${inTest} AND deleted_at IS NULL ORDER BY last_success_at IS NULL, id DESC LIMIT 1
    ) AS webhook,
    latest.*
  FROM (SELECT) AS once LEFT JOIN LATERAL (
    SELECT id, method, path, status, duration_ms AS "durationMs", error_kind AS "errorKind", response_body AS "responseBody",
      created_at AS "createdAt"
    FROM request_logs WHERE ${inTest} ORDER BY id DESC LIMIT 1
  ) AS latest ON true`;
});
