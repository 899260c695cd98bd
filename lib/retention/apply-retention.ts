import { type Caller, type Partition, system, withDatabase } from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";
import { now } from "@/lib/platform/time";
import {
  deleteAttemptsStatement,
  deleteConversationsStatement,
  deleteEventsStatement,
  deleteLogsStatement,
} from "./apply-retention.sql";
import { boundsOf, getRetention } from "./settings";

/** How soon an environment is checked again once nothing was left to delete. */
const pauseMs = 10 * 60_000;
/** How soon all deliveries of an environment are read again. */
const passMs = 24 * 3_600_000;
/** Deleting an event also deletes its deliveries and their attempts. */
const eventsShare = 4;

const nextSettingStatement = sql(
  "next_retention",
  { now: "clock" },
  (p) => `
  SELECT tenant_id AS "tenantId", environment, after_event_id AS "afterEventId", after_delivery_id AS "afterDeliveryId",
    pass_started_at AS "passStartedAt" FROM retention_settings
  WHERE next_at <= ${timeOf(p.now)} AND ${isNotMoving("tenant_id")} ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

/**
 * Deletes one batch of each kind of the environment that has waited longest. Weeks that are dropped
 * as a whole (./partitions.ts) are not affected: this deletes within weeks that still exist.
 * @param limit rows of a kind
 * @returns `limit` if there may be more
 */
export async function applyRetention(limit: number): Promise<number> {
  return db().$transaction(async (transaction) => {
    const [next] = await runSql<Partition & Position>(nextSettingStatement({}), {
      db: transaction,
    });
    if (!next) return 0;
    const { afterEventId, afterDeliveryId, passStartedAt, ...partition } = next;
    const caller = withDatabase(system(partition), transaction);
    const position = { afterEventId, afterDeliveryId, passStartedAt };
    const { isFull, reached } = await deleteExpired(caller, position, limit);
    await caller.db.retentionSetting.update({
      where: { tenantId_environment: partition },
      data: { nextAt: new Date(now().getTime() + (isFull ? 0 : pauseMs)), ...reached },
    });
    return limit;
  });
}

/** How far events and deliveries have been read. */
type Position = { afterEventId: string; afterDeliveryId: string; passStartedAt: Date };

async function deleteExpired(caller: Caller, position: Position, limit: number) {
  const { partition } = caller;
  const retention = await getRetention(caller);
  const ids = async (query: Parameters<typeof runSql>[0]) => runSql<{ id: string }>(query, caller);
  const reached = { ...position };
  let isFull = false;
  if (retention.conversations !== null) {
    const bounds = boundsOf(partition, "conversations", retention.conversations);
    const deleted = await ids(deleteConversationsStatement({ ...bounds, limit }));
    isFull ||= deleted.length === limit;
  }
  if (retention.events !== null) {
    const bounds = boundsOf(partition, "events", retention.events);
    const share = Math.ceil(limit / eventsShare);
    const afterId = position.afterEventId;
    const read = await ids(deleteEventsStatement({ ...bounds, afterId, limit: share }));
    const isWhole = read.length === share;
    isFull ||= isWhole;
    // The next pass starts from the beginning, with the events that were still waiting.
    reached.afterEventId = (isWhole && read.at(-1)?.id) || "";
  }
  if (retention.requestLogs !== null) {
    const bounds = boundsOf(partition, "requestLogs", retention.requestLogs);
    const deleted = await ids(deleteLogsStatement({ ...bounds, limit }));
    isFull ||= deleted.length === limit;
  }
  if (retention.attempts !== null) {
    const bounds = boundsOf(partition, "attempts", retention.attempts);
    const afterId = position.afterDeliveryId;
    const read = await ids(deleteAttemptsStatement({ ...bounds, afterId, limit }));
    const isWhole = read.length === limit;
    isFull ||= isWhole;
    reached.afterDeliveryId = read.at(-1)?.id ?? afterId;
    // Deliveries that were read before can have attempts that were made later, and expired since.
    if (!isWhole && now().getTime() - position.passStartedAt.getTime() >= passMs)
      Object.assign(reached, { afterDeliveryId: "", passStartedAt: now() });
  }
  return { isFull, reached };
}
