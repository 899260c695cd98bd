import { type Caller, type Partition, system, withDatabase } from "@/lib/platform/caller";
import { type Db, db, runSql } from "@/lib/platform/db";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";
import {
  deleteAttemptsStatement,
  deleteConversationsStatement,
  deleteEventsStatement,
  deleteLogsStatement,
} from "./apply-retention.sql";
import { boundsOf, getRetention } from "./settings";

/** How soon an environment is checked again once nothing was left to delete. */
const pauseMs = 10 * 60_000;
/** How soon the expired events that stayed, because a delivery waited, are read again. */
const eventsPassMs = 3_600_000;
/** How soon all deliveries of an environment are read again. */
const deliveriesPassMs = 24 * 3_600_000;
/** Deleting an event also deletes its deliveries and their attempts. */
const eventsShare = 4;

const nextSettingStatement = sql(
  "next_retention",
  { now: "clock" },
  (p) => `
  SELECT tenant_id AS "tenantId", environment, after_event_id AS "afterEventId", after_delivery_id AS "afterDeliveryId",
    pass_started_at AS "passStartedAt", events_pass_started_at AS "eventsPassStartedAt", ${timeOf(p.now)} AS at FROM retention_settings
  WHERE next_at <= ${timeOf(p.now)} AND ${isNotMoving("tenant_id")} ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

/**
 * Deletes one batch of each kind of the environment that has waited longest. Weeks that are dropped
 * as a whole (./partitions.ts) are not affected: this deletes within weeks that still exist.
 * @param limit rows of a kind
 * @returns `limit` if there may be more
 */
export async function applyRetention(limit: number): Promise<number> {
  let begun: Begun | undefined;
  try {
    return await db().$transaction(async (transaction) => {
      const [next] = await runSql<Begun & Position>(nextSettingStatement({}), { db: transaction });
      if (!next) return 0;
      const { tenantId, environment, at, ...position } = next;
      const partition = { tenantId, environment };
      begun = { ...partition, at };
      const caller = withDatabase(system(partition), transaction);
      const { isFull, reached } = await deleteExpired(caller, position, at, limit);
      const wait = isFull ? 0 : pauseMs;
      await setNext(caller.db, begun, wait, reached);
      return limit;
    });
  } catch (error) {
    // Otherwise it would be the first again, and no other environment would have its turn.
    if (begun) await setNext(db(), begun, pauseMs);
    throw error;
  }
}

/** An environment, and the database's time when its batch began. */
type Begun = Partition & { at: Date };

async function setNext(
  database: Db,
  { at, ...partition }: Begun,
  waitMs: number,
  reached?: Position,
): Promise<void> {
  await database.retentionSetting.updateMany({
    where: partition,
    data: { nextAt: new Date(at.getTime() + waitMs), ...reached },
  });
}

/** How far events and deliveries have been read. */
type Position = {
  afterEventId: string;
  eventsPassStartedAt: Date;
  afterDeliveryId: string;
  passStartedAt: Date;
};

/** `at` is the database's time: with a wrong clock, a worker would delete what has not expired. */
async function deleteExpired(caller: Caller, position: Position, at: Date, limit: number) {
  const { partition } = caller;
  const retention = await getRetention(caller);
  const ids = async (query: Parameters<typeof runSql>[0]) => runSql<{ id: string }>(query, caller);
  const reached = { ...position };
  let isFull = false;
  if (retention.conversations !== null) {
    const bounds = boundsOf(partition, "conversations", retention.conversations, at);
    const deleted = await ids(deleteConversationsStatement({ ...bounds, limit }));
    isFull ||= deleted.length === limit;
  }
  if (retention.events !== null) {
    const bounds = boundsOf(partition, "events", retention.events, at);
    const share = Math.ceil(limit / eventsShare);
    const afterId = position.afterEventId;
    const read = await ids(deleteEventsStatement({ ...bounds, afterId, limit: share }));
    const isWhole = read.length === share;
    isFull ||= isWhole;
    reached.afterEventId = read.at(-1)?.id ?? afterId;
    if (afterId === "") reached.eventsPassStartedAt = at;
    // The next pass starts from the beginning, with the events that were still waiting.
    if (!isWhole && at.getTime() - reached.eventsPassStartedAt.getTime() >= eventsPassMs) {
      reached.afterEventId = "";
      isFull = true;
    }
  }
  if (retention.requestLogs !== null) {
    const bounds = boundsOf(partition, "requestLogs", retention.requestLogs, at);
    const deleted = await ids(deleteLogsStatement({ ...bounds, limit }));
    isFull ||= deleted.length === limit;
  }
  if (retention.attempts !== null) {
    const bounds = boundsOf(partition, "attempts", retention.attempts, at);
    const afterId = position.afterDeliveryId;
    const read = await ids(deleteAttemptsStatement({ ...bounds, afterId, limit }));
    const isWhole = read.length === limit;
    isFull ||= isWhole;
    reached.afterDeliveryId = read.at(-1)?.id ?? afterId;
    // Deliveries that were read before can have attempts that were made later, and expired since.
    if (!isWhole && at.getTime() - position.passStartedAt.getTime() >= deliveriesPassMs)
      Object.assign(reached, { afterDeliveryId: "", passStartedAt: at });
  }
  return { isFull, reached };
}
