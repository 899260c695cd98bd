import { sql } from "@/lib/platform/sql";

/** Counts what `listSuspendedAccess` would list. */
export const countSuspendedStatement = sql(
  "count_suspended",
  { tenantId: "text" },
  (p) => `
  SELECT (
    (SELECT count(*) FROM api_keys WHERE tenant_id = ${p.tenantId} AND suspended_at IS NOT NULL AND revoked_at IS NULL)
    + (SELECT count(*) FROM webhooks WHERE tenant_id = ${p.tenantId} AND suspended_at IS NOT NULL AND deleted_at IS NULL)
    + (SELECT count(*) FROM alert_targets WHERE tenant_id = ${p.tenantId} AND suspended_at IS NOT NULL)
    + (SELECT count(*) FROM invitations WHERE tenant_id = ${p.tenantId} AND suspended_at IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL)
    + (SELECT count(*) FROM memberships WHERE tenant_id = ${p.tenantId} AND suspended_at IS NOT NULL)
  )::int AS count`,
);
