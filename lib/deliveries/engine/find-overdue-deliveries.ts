import { runSql } from "@/lib/platform/db";
import { sql, timeOf } from "@/lib/platform/sql";
import { isFree, isReady } from "./claim.sql";
import { toWakeable, type WakeableDelivery, type WakeableRow } from "./find-wakeable-deliveries";

export type OverdueDelivery = WakeableDelivery & { dueAt: Date; overdueForSeconds: number };

type Place = { dueAt: Date; id: string };

/** Before every delivery. */
export const startOfOverdue: Place = { dueAt: new Date(0), id: "" };

/**
 * The branches read the index of what is due and the one of what a user requested. The second index
 * has few rows.
 */
const overdueDeliveriesStatement = sql(
  "overdue_deliveries",
  {
    now: "clock",
    overdueSeconds: "float8",
    limit: "int",
    afterDueAt: "timestamptz",
    afterId: "text",
  },
  (p) => {
    const now = timeOf(p.now);
    const isOverdue = (time: string) =>
      `${time} <= ${now} - make_interval(secs => ${p.overdueSeconds}) AND (${time}, d.id) > (${p.afterDueAt}, ${p.afterId}) AND ${isFree(now)}`;
    const columns = (time: string) =>
      `d.tenant_id, d.environment, d.id, d.webhook_id, d.attempt_count, d.updated_at, ${time} AS due_at`;
    const join = `JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.environment = d.environment AND w.id = d.webhook_id`;
    return `
  SELECT tenant_id, environment, id, webhook_id, attempt_count + 1 AS attempt_number, updated_at, due_at,
    extract(epoch FROM ${now} - due_at)::float8 AS overdue_for
  FROM (
    (SELECT ${columns("d.next_attempt_at")} FROM deliveries d ${join}
      WHERE d.status = 'PENDING' AND d.requested_at IS NULL AND ${isOverdue("d.next_attempt_at")} AND ${isReady(now)}
      ORDER BY d.next_attempt_at, d.id LIMIT ${p.limit})
    UNION ALL
    (SELECT ${columns("d.requested_at")} FROM deliveries d ${join} AND w.deleted_at IS NULL
      WHERE d.requested_at IS NOT NULL AND ${isOverdue("d.requested_at")}
      ORDER BY d.requested_at, d.id LIMIT ${p.limit})
  ) overdue
  ORDER BY due_at, id LIMIT ${p.limit}`;
  },
);

type Options = { overdueSeconds: number; limit: number; after: Place };

/** Returns deliveries that should have been sent long ago and that no process is sending. */
export async function findOverdueDeliveries({
  overdueSeconds,
  limit,
  after,
}: Options): Promise<OverdueDelivery[]> {
  const rows = await runSql<WakeableRow & { due_at: Date; overdue_for: number }>(
    overdueDeliveriesStatement({
      ...{ overdueSeconds, limit, afterDueAt: after.dueAt, afterId: after.id },
    }),
  );
  return rows.map((row) => ({
    ...toWakeable(row),
    dueAt: row.due_at,
    overdueForSeconds: row.overdue_for,
  }));
}
