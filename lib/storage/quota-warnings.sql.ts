import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";

/**
 * The environments that have reached a part of their quota and were not warned of it this month,
 * except those of some tenants.
 */
export const dueQuotaWarningsStatement = sql(
  "due_quota_warnings",
  {
    now: "clock",
    plans: "Plan[]",
    limits: "float8[]",
    percents: "int[]",
    except: "text[]",
    limit: "int",
  },
  (p) => `
  WITH quotas AS MATERIALIZED (
    SELECT * FROM unnest(${p.plans}, ${p.limits}) AS quota (plan, bytes)
  ),
  stored AS MATERIALIZED (
    SELECT tenant_id, environment, sum(size_bytes) AS bytes FROM storage_days
    GROUP BY tenant_id, environment
    HAVING sum(size_bytes) * 100 >= (SELECT min(bytes) FROM quotas) * (SELECT min(percent) FROM unnest(${p.percents}) AS percent)
  )
  SELECT stored.tenant_id AS "tenantId", stored.environment, reached.percent
  FROM stored
  JOIN tenants t ON t.id = stored.tenant_id
  JOIN quotas ON quotas.plan = t.plan
  CROSS JOIN LATERAL (
    SELECT max(percent) AS percent FROM unnest(${p.percents}) AS percent WHERE stored.bytes * 100 >= quotas.bytes * percent
  ) AS reached
  WHERE reached.percent IS NOT NULL AND ${isNotMoving("stored.tenant_id")} AND stored.tenant_id <> ALL (${p.except})
    AND NOT EXISTS (SELECT 1 FROM tenant_deletions d WHERE d.tenant_id = stored.tenant_id)
    AND NOT EXISTS (
      SELECT 1 FROM quota_warnings w
      WHERE w.tenant_id = stored.tenant_id AND w.environment = stored.environment
        AND w.month = to_char(${timeOf(p.now)} AT TIME ZONE 'UTC', 'YYYY-MM') AND w.plan = t.plan AND w.percent = reached.percent)
  LIMIT ${p.limit}`,
);

/**
 * Claims a warning and the lower ones, which it replaces. A concurrent transaction waits for the
 * end of this one. Returns a row for each that was not claimed before.
 */
export const claimQuotaWarningStatement = sql(
  "claim_quota_warning",
  {
    now: "clock",
    tenantId: "text",
    environment: "Environment",
    percents: "int[]",
    storedBytes: "float8",
  },
  (p) => `
  INSERT INTO quota_warnings (tenant_id, environment, month, plan, percent, stored_bytes, created_at)
  SELECT t.id, ${p.environment}, to_char(${timeOf(p.now)} AT TIME ZONE 'UTC', 'YYYY-MM'), t.plan, percent, ${p.storedBytes}, ${timeOf(p.now)}
  FROM tenants t CROSS JOIN unnest(${p.percents}) AS percent WHERE t.id = ${p.tenantId}
  ORDER BY percent DESC
  ON CONFLICT (tenant_id, environment, month, plan, percent) DO NOTHING
  RETURNING percent, plan`,
);
