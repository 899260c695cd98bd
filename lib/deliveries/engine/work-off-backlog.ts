import type { Partition } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";
import { endWebhook, wakeDeliveries } from "@/lib/platform/wake-ups";
import { recoveredPerSecond } from "../backlog";
import { replayStatement } from "./replay.sql";

/** Limits how long one call takes. The next call continues. */
const maximumBatches = 20;

const sameWebhook = (a: string, b: string) =>
  `${a}.tenant_id = ${b}.tenant_id AND ${a}.environment = ${b}.environment AND ${a}.webhook_id = ${b}.webhook_id`;

/**
 * The minimum time for which a deleted webhook's row stays in the table. A transaction that was
 * recording an event during the deletion may still add a delivery. With the default limit of 7
 * seconds per statement, it ends sooner.
 */
const quietSeconds = 60;

/**
 * Processes one batch of the backlog task that has advanced least and that no other worker holds,
 * so that tasks share the time. Each status is read through its own index, in the order of ids, so
 * a batch costs the same however many deliveries there are. The rows are locked, and then found
 * by their ids. A task ends with its last delivery, or if its webhook was disabled meanwhile; held
 * deliveries then stay held. A test is never repeated.
 * Returns one row for the task, if there was one, with the changes.
 */
const workOffBacklogStatement = sql(
  "work_off_backlog",
  { now: "clock", limit: "int" },
  (p) => `
  WITH task AS MATERIALIZED (
    SELECT t.*, greatest(t.next_due_at, ${timeOf(p.now)}) AS due_from,
      CASE t.action WHEN 'RECOVER' THEN ARRAY['FAILED', 'HELD'] ELSE ARRAY['HELD'] END::"DeliveryStatus"[] AS statuses,
      t.action = 'DISCARD' OR w.status = 'ENABLED' AS is_possible
    FROM backlog_tasks t
    JOIN webhooks w ON w.tenant_id = t.tenant_id AND w.environment = t.environment AND w.id = t.webhook_id
    WHERE t.action NOT IN ('DELETE', 'REPLAY') AND ${isNotMoving("t.tenant_id")}
    ORDER BY t.next_due_at, t.id LIMIT 1
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  chosen AS MATERIALIZED (
    SELECT found.*, row_number() OVER (ORDER BY found.id) AS place
    FROM (
      SELECT d.* FROM task t
      CROSS JOIN unnest(t.statuses) AS s (status)
      CROSS JOIN LATERAL (
        SELECT d.tenant_id, d.environment, d.webhook_id, d.id FROM deliveries d
        WHERE ${sameWebhook("d", "t")} AND d.status = s.status AND d.id > t.after_id AND d.id < t.before_id
          AND (t.action = 'DISCARD' OR d.event_type <> 'webhook.test')
        ORDER BY d.id LIMIT ${p.limit}
        FOR NO KEY UPDATE
      ) d
      WHERE t.is_possible
      ORDER BY d.id LIMIT ${p.limit}
    ) found
  ),
  changed AS (
    UPDATE deliveries d SET
      status = CASE t.action WHEN 'DISCARD' THEN 'DISCARDED' ELSE 'PENDING' END::"DeliveryStatus",
      automatic_count = CASE t.action WHEN 'DISCARD' THEN d.automatic_count ELSE 0 END,
      next_attempt_at = CASE WHEN t.action <> 'DISCARD' THEN t.due_from + make_interval(secs => (c.place - 1) / ${recoveredPerSecond}::float8) END,
      updated_at = ${timeOf(p.now)}
    FROM task t CROSS JOIN ${fewRowsOf("chosen")} c
    WHERE ${sameWebhook("d", "c")} AND d.id = c.id
    RETURNING d.id, d.status
  ),
  last AS (SELECT count(*)::int AS total, max(id) AS id FROM chosen),
  moved AS (
    UPDATE backlog_tasks b SET after_id = last.id, next_due_at = t.due_from + make_interval(secs => last.total / ${recoveredPerSecond}::float8)
    FROM task t, last
    WHERE last.total = ${p.limit} AND b.tenant_id = t.tenant_id AND b.environment = t.environment AND b.id = t.id
  ),
  ended AS (
    DELETE FROM backlog_tasks b USING task t, last
    WHERE last.total < ${p.limit} AND b.tenant_id = t.tenant_id AND b.environment = t.environment AND b.id = t.id
  )
  SELECT t.tenant_id, t.environment, (SELECT count(*)::int FROM changed) AS changed,
    coalesce((SELECT array_agg(id ORDER BY id) FROM changed WHERE status = 'PENDING'), '{}') AS pending_ids
  FROM task t`,
);

/**
 * Deletes one batch of the deliveries of a deleted webhook. Once none are left and at least a
 * minute has passed since the deletion, the webhook's row is deleted, and the task with it.
 * Returns one row for the task, if there was one, with the number of deleted deliveries.
 */
const deleteDeliveriesStatement = sql(
  "delete_deliveries_of_webhook",
  { now: "clock", limit: "int" },
  (p) => `
  WITH task AS MATERIALIZED (
    SELECT t.*, w.deleted_at + interval '${quietSeconds} seconds' AS quiet_at FROM backlog_tasks t
    JOIN webhooks w ON w.tenant_id = t.tenant_id AND w.environment = t.environment AND w.id = t.webhook_id
    WHERE t.action = 'DELETE' AND t.next_due_at <= ${timeOf(p.now)} AND ${isNotMoving("t.tenant_id")}
    ORDER BY t.next_due_at, t.id LIMIT 1
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  chosen AS MATERIALIZED (
    SELECT d.* FROM task t
    CROSS JOIN LATERAL (
      SELECT d.tenant_id, d.environment, d.webhook_id, d.id FROM deliveries d WHERE ${sameWebhook("d", "t")} AND d.id > t.after_id
      ORDER BY d.id LIMIT ${p.limit}
      FOR UPDATE
    ) d
  ),
  deleted AS (DELETE FROM deliveries d USING ${fewRowsOf("chosen")} c WHERE ${sameWebhook("d", "c")} AND d.id = c.id RETURNING 1),
  last AS (SELECT count(*)::int AS total, max(id) AS id FROM chosen),
  ended AS (
    DELETE FROM webhooks w USING task t, last
    WHERE last.total < ${p.limit} AND t.quiet_at <= ${timeOf(p.now)}
      AND w.tenant_id = t.tenant_id AND w.environment = t.environment AND w.id = t.webhook_id
    RETURNING 1
  ),
  moved AS (
    UPDATE backlog_tasks b SET after_id = coalesce(last.id, b.after_id),
      next_due_at = CASE WHEN last.total < ${p.limit} THEN t.quiet_at ELSE date_trunc('milliseconds', ${timeOf(p.now)}) END
    FROM task t, last
    WHERE NOT EXISTS (SELECT 1 FROM ended) AND b.tenant_id = t.tenant_id AND b.environment = t.environment AND b.id = t.id
  )
  SELECT tenant_id, environment, webhook_id, (SELECT count(*)::int FROM deleted) AS deleted FROM task`,
);

type WorkedOff = {
  tenant_id: string;
  environment: Partition["environment"];
  pending_ids: string[];
  changed: number;
};

type Deleted = Pick<WorkedOff, "tenant_id" | "environment"> & {
  webhook_id: string;
  deleted: number;
};

type Replayed = Pick<WorkedOff, "tenant_id" | "environment" | "pending_ids"> & { read: number };

/**
 * Works off the backlog tasks of webhooks: recovering, resuming, discarding and deleting their
 * deliveries, and replaying events. Each batch is a transaction of its own, so nothing is locked for
 * long, and a crash loses nothing.
 * @returns how many deliveries changed, or events were read to replay them
 */
export async function workOffBacklog(limit: number): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < maximumBatches; batch++) {
    const changed = await changeBatch(limit);
    const replayed = await replayBatch(limit);
    const deleted = await deleteBatch(limit);
    if (changed === null && replayed === null && deleted === null) break;
    total += (changed ?? 0) + (replayed ?? 0) + (deleted ?? 0);
  }
  return total;
}

/** @returns how many deliveries changed, or null if nothing was left to do */
async function changeBatch(limit: number): Promise<number | null> {
  const [row] = await runSql<WorkedOff>(workOffBacklogStatement({ limit }));
  if (!row) return null;
  const { tenant_id: tenantId, environment } = row;
  wakeDeliveries(row.pending_ids.map((id) => ({ tenantId, environment, id })));
  return row.changed;
}

/** @returns how many events were read, or null if there is no replay */
async function replayBatch(limit: number): Promise<number | null> {
  const [row] = await runSql<Replayed>(replayStatement({ limit }));
  if (!row) return null;
  const { tenant_id: tenantId, environment } = row;
  wakeDeliveries(row.pending_ids.map((id) => ({ tenantId, environment, id })));
  return row.read;
}

async function deleteBatch(limit: number): Promise<number | null> {
  const [row] = await runSql<Deleted>(deleteDeliveriesStatement({ limit }));
  if (!row) return null;
  const { tenant_id: tenantId, environment, webhook_id: webhookId } = row;
  endWebhook({ tenantId, environment, webhookId });
  return row.deleted;
}
