import { sql } from "@/lib/platform/sql";

const ofTest = (tenantId: string) => `tenant_id = ${tenantId} AND environment = 'test'`;
const ofLive = (tenantId: string) => `tenant_id = ${tenantId} AND environment = 'live'`;

const hasUsableKey = (partition: string) =>
  `EXISTS (SELECT FROM api_keys WHERE ${partition} AND revoked_at IS NULL)`;
/** The condition of api_keys_succeeded_idx. */
const hasSucceededKey = (partition: string) =>
  `EXISTS (SELECT FROM api_keys WHERE ${partition} AND first_succeeded_at IS NOT NULL)`;

/** Everything that the checklist needs, in one row. The latest request has no id if there is none. */
export const onboardingStatement = sql(
  "onboarding",
  { tenantId: "text" },
  (p) => `
  SELECT ${hasUsableKey(ofTest(p.tenantId))} AS "hasUsableTestKey", ${hasSucceededKey(ofTest(p.tenantId))} AS "hasSucceeded",
    ${hasUsableKey(ofLive(p.tenantId))} AS "hasUsableLiveKey", ${hasSucceededKey(ofLive(p.tenantId))} AS "hasSucceededLive",
    (
      SELECT json_build_object('id', id, 'url', url, 'hasReceived', last_success_at IS NOT NULL) FROM webhooks
      WHERE ${ofTest(p.tenantId)} AND deleted_at IS NULL ORDER BY last_success_at IS NULL, id DESC LIMIT 1
    ) AS webhook,
    latest.*
  FROM (SELECT) AS once LEFT JOIN LATERAL (
    SELECT id, method, path, status, duration_ms AS "durationMs", error_kind AS "errorKind", response_body AS "responseBody",
      created_at AS "createdAt"
    FROM request_logs WHERE ${ofTest(p.tenantId)} ORDER BY id DESC LIMIT 1
  ) AS latest ON true`,
);
