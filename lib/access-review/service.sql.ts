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

/**
 * The organizations that the user has left or was removed from, with one index lookup for each
 * organization, because no index of the audit log starts with the user. Organizations that were
 * moved to another installation are left out.
 */
export const formerOrganizationsStatement = sql(
  "former_organizations",
  { userId: "text", since: "timestamptz?" },
  (p) => `
  SELECT t.id AS "tenantId", t.name FROM tenants t
  CROSS JOIN LATERAL (
    SELECT 1 FROM audit_entries a
    WHERE a.tenant_id = t.id AND a.target_id = ${p.userId} AND a.action IN ('member.left', 'member.removed')
      AND (${p.since} IS NULL OR a.created_at >= ${p.since})
    LIMIT 1
  ) gone
  WHERE t.moved_to IS NULL
    AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = t.id AND m.user_id = ${p.userId})`,
);
