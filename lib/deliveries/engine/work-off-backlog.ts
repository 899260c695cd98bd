import type { Partition } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, isInOrder, sql, timeOf } from "@/lib/platform/sql";
import { endWebhook, wakeDeliveries } from "@/lib/platform/wake-ups";
import type { BacklogAction } from "@/prisma/generated/enums";
import { recoveredPerSecond } from "../backlog";
import { isTask, taskId } from "./backlog-task.sql";
import { isWebhookOf, sameDelivery, samePartition, sameWebhook } from "./joins.sql";
import { replayStatement } from "./replay.sql";

/** Limits how long one call takes. The next call continues. */
const maximumBatches = 20;

const tasksPerKind = 3;

/**
 * The minimum time for which a deleted webhook's row stays in the table. A transaction that was
 * recording an event during the deletion may still add a delivery. With the default limit of 7
 * seconds per statement, it ends sooner.
 */
const quietSeconds = 60;

/** The next tasks of each kind, so that one kind does not wait for another. */
const nextTasksStatement = sql(
  "next_backlog_tasks",
  { now: "clock", except: "text[]" },
  (p) => `
  SELECT tenant_id AS "tenantId", environment, id, webhook_id AS "webhookId", action
  FROM (
    SELECT t.*, row_number() OVER (PARTITION BY t.action ORDER BY t.next_due_at, t.id) AS place FROM backlog_tasks t
    WHERE (t.action <> 'DELETE' OR t.next_due_at <= ${timeOf(p.now)}) AND t.id <> ALL (${p.except}) AND ${isNotMoving("t.tenant_id")}
  ) next
  WHERE place <= ${tasksPerKind} ORDER BY place, action`,
);

/**
 * Processes one batch of a task that recovers, resumes or discards, unless another worker holds it.
 * Each status is read through its own index, in the order of ids, so a batch costs the same however
 * many deliveries there are. The rows are locked, and then found by their ids. A task ends with its
 * last delivery, or if its webhook was disabled meanwhile; held deliveries then stay held. A test is
 * never repeated.
 * Returns one row, with the changes, if the task exists and is free.
 */
const changeStatement = sql(
  "work_off_backlog",
  { ...taskId, now: "clock", limit: "int" },
  (p) => `
  WITH task AS MATERIALIZED (
    SELECT t.*, greatest(t.next_due_at, ${timeOf(p.now)}) AS due_from,
      CASE t.action WHEN 'RECOVER' THEN ARRAY['FAILED', 'HELD'] ELSE ARRAY['HELD'] END::"DeliveryStatus"[] AS statuses,
      t.action = 'DISCARD' OR w.status = 'ENABLED' AS is_possible
    FROM backlog_tasks t
    JOIN webhooks w ON ${isWebhookOf("w", "t")}
    WHERE ${isTask("t", p)} AND ${isNotMoving("t.tenant_id")}
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  chosen AS MATERIALIZED (
    SELECT found.*, row_number() OVER (ORDER BY found.id) AS place
    FROM (
      SELECT d.* FROM task t
      CROSS JOIN unnest(t.statuses) AS s (status)
      CROSS JOIN LATERAL (
        SELECT d.tenant_id, d.environment, d.webhook_id, d.id FROM deliveries d
        WHERE ${sameWebhook("d", "t")} AND ${isInOrder("d.status", "s.status")} AND d.id > t.after_id AND d.id < t.before_id
          AND (t.action = 'DISCARD' OR d.event_type <> 'webhook.test')
        ORDER BY d.status, d.id LIMIT ${p.limit}
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
    WHERE ${sameDelivery("d", "c")}
    RETURNING d.id, d.status
  ),
  last AS (SELECT count(*)::int AS total, max(id) AS id FROM chosen),
  moved AS (
    UPDATE backlog_tasks b SET after_id = last.id, next_due_at = t.due_from + make_interval(secs => last.total / ${recoveredPerSecond}::float8)
    FROM task t, last
    WHERE last.total = ${p.limit} AND ${samePartition("b", "t")} AND b.id = t.id
  ),
  ended AS (
    DELETE FROM backlog_tasks b USING task t, last
    WHERE last.total < ${p.limit} AND ${samePartition("b", "t")} AND b.id = t.id
  )
  SELECT (SELECT count(*)::int FROM changed) AS processed,
    coalesce((SELECT array_agg(id ORDER BY id) FROM changed WHERE status = 'PENDING'), '{}') AS "pendingIds"
  FROM task`,
);

/**
 * Deletes one batch of the deliveries of a deleted webhook. Once none are left and at least a
 * minute has passed since the deletion, the webhook's row is deleted, and the task with it.
 * Returns one row, with the number of deleted deliveries, if the task exists and is free.
 */
const deleteDeliveriesStatement = sql(
  "delete_deliveries_of_webhook",
  { ...taskId, now: "clock", limit: "int" },
  (p) => `
  WITH task AS MATERIALIZED (
    SELECT t.*, w.deleted_at + interval '${quietSeconds} seconds' AS quiet_at FROM backlog_tasks t
    JOIN webhooks w ON ${isWebhookOf("w", "t")}
    WHERE ${isTask("t", p)} AND ${isNotMoving("t.tenant_id")}
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  chosen AS MATERIALIZED (
    SELECT d.* FROM task t
    CROSS JOIN LATERAL (
      SELECT d.tenant_id, d.environment, d.webhook_id, d.id FROM deliveries d
      WHERE d.tenant_id = t.tenant_id AND d.environment = t.environment AND ${isInOrder("d.webhook_id", "t.webhook_id")} AND d.id > t.after_id
      ORDER BY d.webhook_id, d.id LIMIT ${p.limit}
      FOR UPDATE
    ) d
  ),
  deleted AS (DELETE FROM deliveries d USING ${fewRowsOf("chosen")} c WHERE ${sameDelivery("d", "c")} RETURNING 1),
  last AS (SELECT count(*)::int AS total, max(id) AS id FROM chosen),
  ended AS (
    DELETE FROM webhooks w USING task t, last
    WHERE last.total < ${p.limit} AND t.quiet_at <= ${timeOf(p.now)}
      AND ${isWebhookOf("w", "t")}
    RETURNING 1
  ),
  moved AS (
    UPDATE backlog_tasks b SET after_id = coalesce(last.id, b.after_id),
      next_due_at = CASE WHEN last.total < ${p.limit} THEN t.quiet_at ELSE date_trunc('milliseconds', ${timeOf(p.now)}) END
    FROM task t, last
    WHERE NOT EXISTS (SELECT 1 FROM ended) AND ${samePartition("b", "t")} AND b.id = t.id
  )
  SELECT (SELECT count(*)::int FROM deleted) AS processed FROM task`,
);

type Task = Partition & { id: string; webhookId: string; action: BacklogAction };

type Batch = { processed: number; pendingIds?: string[] };

const statementOf = (action: BacklogAction) => {
  if (action === "REPLAY") return replayStatement;
  return action === "DELETE" ? deleteDeliveriesStatement : changeStatement;
};

const leftOutTasks = leaveOut("a backlog task failed and will be tried again");

/**
 * Works off the backlog tasks of webhooks: recovering, resuming, discarding and deleting their
 * deliveries, and replaying events. Each batch is a transaction of its own, so nothing is locked for
 * long, and a crash loses nothing. Those that have advanced least come first, so that tasks share
 * the time.
 * @returns how many deliveries changed, or events were read to replay them
 */
export async function workOffBacklog(limit: number): Promise<number> {
  let total = 0;
  let batches = 0;
  const skipped: string[] = [];
  for (;;) {
    const except = [...leftOutTasks.ids(), ...skipped];
    const tasks = await runSql<Task>(nextTasksStatement({ except }));
    if (tasks.length === 0) return total;
    for (const task of tasks) {
      if (batches === maximumBatches) return total;
      const { id, tenantId, environment, webhookId } = task;
      const processed = await leftOutTasks.attempt(id, { tenantId, environment, webhookId }, () =>
        processBatch(task, limit),
      );
      if (processed === null) skipped.push(id);
      else {
        batches++;
        total += processed;
      }
    }
  }
}

/**
 * @returns how many deliveries or events it processed, or null if another worker holds the task or
 * has ended it
 */
async function processBatch(task: Task, limit: number): Promise<number | null> {
  const { id, tenantId, environment, webhookId, action } = task;
  const statement = statementOf(action);
  const [row] = await runSql<Batch>(statement({ id, tenantId, environment, limit }));
  if (!row) return null;
  if (action === "DELETE") endWebhook({ tenantId, environment, webhookId });
  wakeDeliveries((row.pendingIds ?? []).map((id) => ({ tenantId, environment, id })));
  return row.processed;
}
