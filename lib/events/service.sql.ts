import type { Partition } from "@/lib/platform/caller";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { bindings, type Query, sql } from "@/lib/platform/sql";
import { now } from "@/lib/platform/time";
import { firstIdAt, isFromDroppedWeek } from "@/lib/resources/ids";
import type { ListEvents } from "./schema";

/**
 * The position that an event has, or had, in the feed. Null for an id that is not one of this
 * tenant's events.
 */
const positionOf = (id: string, within: string) => `(
  SELECT xact FROM events WHERE ${within} AND id = ${id}
  UNION ALL SELECT xact FROM purged_events WHERE ${within} AND id = ${id} LIMIT 1)`;

export const getPayloadStatement = lookupSql(
  "get_event_payload",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT payload FROM events WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

export const isEventStatement = sql(
  "is_event",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => {
    const within = `tenant_id = ${p.tenantId} AND environment = ${p.environment}`;
    return `SELECT ${positionOf(p.id, within)} IS NOT NULL AS "isEvent"`;
  },
);

/**
 * An event's id and time are made before its transaction writes, and the clocks of machines differ.
 * No event is committed this much earlier or later than its id says.
 */
const slackMs = 600_000;

/**
 * The feed is ordered by (xact, id). In ascending order it ends before the oldest transaction that
 * still runs, so that every event before one that was returned has been returned too: ids alone
 * are made in one order and committed in another.
 */
export function listEventsStatement(
  { tenantId, environment }: Partition,
  { type, since, cursor, limit, order }: ListEvents,
): Query {
  const { bind, values } = bindings();
  const within = `tenant_id = ${bind("text", tenantId)} AND environment = ${bind("Environment", environment)}`;
  const isAscending = order === "asc";
  const conditions = [within];
  if (isAscending) conditions.push("xact < pg_snapshot_xmin(pg_current_snapshot())");
  if (type !== undefined) conditions.push(`type = ${bind("text", type)}`);
  if (since !== undefined) {
    // The last event before that time has a position in the feed, where reading starts. `coalesce`
    // keeps the planner from estimating the time as so selective that it reads the table instead.
    const earlier = firstIdAt("event", new Date(since.getTime() - slackMs));
    const start = `(SELECT xact FROM events WHERE ${within} AND id < ${bind("text", earlier)} ORDER BY id DESC LIMIT 1)`;
    conditions.push(
      `xact >= coalesce(${start}, '0'::xid8) AND coalesce(created_at >= ${bind("timestamptz", since)}, false)`,
    );
  }
  if (cursor !== undefined) {
    const id = bind("text", cursor);
    // All other events of the cursor's week are gone, and it was before the remaining ones.
    const position = isFromDroppedWeek("event", cursor, now())
      ? `coalesce(${positionOf(id, within)}, '0'::xid8)`
      : positionOf(id, within);
    conditions.push(`(xact, id) ${isAscending ? ">" : "<"} (${position}, ${id})`);
  }
  const text = `SELECT id, payload FROM events WHERE ${conditions.join(" AND ")} ORDER BY xact ${order}, id ${order} LIMIT ${bind("int", limit + 1)}`;
  return { name: `list_events_${order}`, text, values };
}

/**
 * A place in the feed: just after the event with this id, or before all events of this transaction
 * if the id is empty. Everything up to there has been visible.
 */
export type Position = { xact: string; id: string };

/**
 * The place in the feed of the last event of a partition. To learn whether there is an event from a
 * transaction on, compare it with this: for `EXISTS`, the planner may expect to find one soon
 * anywhere in the table, and then reads all of it if there is none.
 */
const lastXact = (within: string) =>
  `(SELECT xact FROM events WHERE ${within} ORDER BY xact DESC, id DESC LIMIT 1)`;

/** The end of the feed at this moment, with the last event before it. */
export const feedEndStatement = sql(
  "feed_end",
  { tenantId: "text", environment: "Environment" },
  (p) => `
  SELECT s.horizon::text AS xact, (
    SELECT id FROM events WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND xact < s.horizon
    ORDER BY xact DESC, id DESC LIMIT 1) AS id
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) s`,
);

export const positionStatement = sql(
  "position_of_event",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => {
    const within = `tenant_id = ${p.tenantId} AND environment = ${p.environment}`;
    return `SELECT ${positionOf(p.id, within)}::text AS xact`;
  },
);

/** The last event before a position, whatever its type. */
export const lastEventStatement = sql(
  "last_event_before",
  { tenantId: "text", environment: "Environment", xact: "xid8", id: "text" },
  (p) => `
  SELECT id FROM events WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND (xact, id) <= (${p.xact}, ${p.id})
  ORDER BY xact DESC, id DESC LIMIT 1`,
);

/**
 * The next events of the ascending feed, and where it ends. `isDelayed` says that it ends before an
 * event that is already committed. Returns at least one row, also without an event.
 */
export function followEventsStatement(
  { tenantId, environment }: Partition,
  {
    position,
    types,
    limit,
  }: { position: Position; types: readonly string[] | undefined; limit: number },
): Query {
  const { bind, values } = bindings();
  const within = `tenant_id = ${bind("text", tenantId)} AND environment = ${bind("Environment", environment)}`;
  const after = `(xact, id) > (${bind("xid8", position.xact)}, ${bind("text", position.id)})`;
  const next = (condition: string) =>
    `SELECT id, payload, xact FROM events WHERE ${within} AND ${after} AND xact < s.horizon${condition} ORDER BY xact, id LIMIT ${limit}`;
  // Type by type, each is a range of an index, also for a type that this tenant has rarely.
  const ofTypes = (all: readonly string[]) => `
    SELECT e.* FROM unnest(${bind("text[]", [...new Set(all)])}) AS t (type) CROSS JOIN LATERAL (${next(" AND type = t.type")}) AS e
    ORDER BY xact, id LIMIT ${limit}`;
  const text = `
  SELECT s.horizon::text, coalesce(${lastXact(within)} >= s.horizon, false) AS "isDelayed",
    e.id, e.payload, e.xact::text
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) s
  LEFT JOIN LATERAL (${types ? ofTypes(types) : next("")}) e ON true`;
  return { name: types ? "follow_events_of_types" : "follow_events", text, values };
}

/** Which of these partitions have events from a transaction on that can be visible by now. */
export const newEventsStatement = sql(
  "partitions_with_new_events",
  { tenantIds: "text[]", environments: "Environment[]", transactions: "xid8[]" },
  (p) => `
  SELECT f.tenant_id AS "tenantId", f.environment
  FROM unnest(${p.tenantIds}, ${p.environments}, ${p.transactions}) AS f (tenant_id, environment, xact)
  WHERE ${lastXact("tenant_id = f.tenant_id AND environment = f.environment")} >= f.xact`,
);
