import type { Statement } from "@/lib/platform/db";
import { firstIdAt } from "@/lib/resources/ids";
import type { ListEvents } from "./schema";

const within = `tenant_id = $1 AND environment = $2::"Environment"`;

/**
 * Where an event is, or was, in the feed. Null for an id that is not one of this tenant's events.
 */
const positionOf = (id: string) => `(
  SELECT xact FROM events WHERE ${within} AND id = ${id}
  UNION ALL SELECT xact FROM purged_events WHERE ${within} AND id = ${id} LIMIT 1)`;

/** $1 tenant id, $2 environment, $3 an event's id. */
export const isEventStatement: Statement = {
  name: "is_event",
  text: `SELECT ${positionOf("$3")} IS NOT NULL AS "isEvent"`,
};

/**
 * An event's id and time are made before its transaction writes, and clocks of machines differ. No
 * event is committed so much earlier or later than its id says.
 */
const slackMs = 600_000;

/**
 * The feed is ordered by (xact, id). In ascending order it ends before the oldest transaction that
 * still runs, so that every event before one that was returned has been returned, too: ids alone
 * are made in one order and committed in another.
 *
 * $1 tenant id, $2 environment, $3 rows at most, then the filters that are given.
 */
export function listEventsStatement(
  tenantId: string,
  environment: string,
  { type, since, cursor, limit, order }: ListEvents,
) {
  const values: unknown[] = [tenantId, environment, limit + 1];
  const isAscending = order === "asc";
  const conditions = [within];
  if (isAscending) conditions.push("xact < pg_snapshot_xmin(pg_current_snapshot())");
  if (type !== undefined) conditions.push(`type = $${values.push(type)}`);
  if (since !== undefined) {
    // Ids are found by time, and where one stands in the feed bounds what is read of it. `coalesce`
    // keeps the planner from taking the time for so selective that it reads the table instead.
    const earlier = firstIdAt("event", new Date(since.getTime() - slackMs));
    const start = `(SELECT xact FROM events WHERE ${within} AND id < $${values.push(earlier)} ORDER BY id DESC LIMIT 1)`;
    conditions.push(
      `xact >= coalesce(${start}, '0'::xid8) AND coalesce(created_at >= $${values.push(since)}, false)`,
    );
  }
  if (cursor !== undefined) {
    const id = `$${values.push(cursor)}`;
    conditions.push(`(xact, id) ${isAscending ? ">" : "<"} (${positionOf(id)}, ${id})`);
  }
  const name = ["list_events", order, type && "type", since && "since", cursor && "cursor"]
    .filter(Boolean)
    .join("_");
  const text = `SELECT id, payload FROM events WHERE ${conditions.join(" AND ")} ORDER BY xact ${order}, id ${order} LIMIT $3`;
  return { statement: { name, text } satisfies Statement, values };
}
