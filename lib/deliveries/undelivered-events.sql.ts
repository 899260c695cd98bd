import type { Partition } from "@/lib/platform/caller";
import { bindings, isInOrder, type Query } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";

export type ListUndelivered = {
  type?: string | undefined;
  since?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
  order: "asc" | "desc";
};

/** A row without an id has only `searchedTo`. */
export type UndeliveredRow = { id: string | null; payload: string; searchedTo: string | null };

/** How many deliveries of each webhook and status one page checks for a type. */
export const checkedPerPage = 2_000;

/**
 * Events with a delivery that has not succeeded. Reads some deliveries of each webhook and each such
 * status, because the index has the order of the list only within both. The id of a delivery starts
 * with the same time as the id of its event, so a page has all events up to the time where the first
 * of these searches ended: `searchedTo`, as the start of a delivery's id. It is null if everything
 * was searched.
 */
export function undeliveredEventsStatement(
  { tenantId, environment }: Partition,
  { type, since, cursor, limit, order }: ListUndelivered,
): Query {
  const { bind, values } = bindings();
  const [tenant, within] = [bind("text", tenantId), bind("Environment", environment)];
  const partition = (row: string) =>
    `${row}.tenant_id = ${tenant} AND ${row}.environment = ${within}`;
  const conditions = [partition("d")];
  if (since) conditions.push(`d.id >= ${bind("text", firstIdAt("delivery", since))}`);
  if (cursor) {
    const time = cursor.slice(4, 14);
    const bound = order === "asc" ? `dlv_${time}` : `dlv_${time}${afterTime}`;
    const beyond = order === "asc" ? ">" : "<";
    conditions.push(`d.id ${beyond} ${bind("text", bound)}`);
    conditions.push(`d.event_id ${beyond} ${bind("text", cursor)}`);
  }
  const of = `FROM deliveries d WHERE ${conditions.join(" AND ")}`;
  const page = bind("int", limit + 1);
  const [first, upTo] =
    order === "asc"
      ? ["min", `d.id < coalesce(p.searched_to, 'dlv_') || '${afterTime}'`]
      : ["max", "d.id >= coalesce(p.searched_to, 'dlv_')"];
  const text = `
  WITH search AS MATERIALIZED (
    SELECT w.id AS webhook_id, s.status, ended.at FROM webhooks w
    CROSS JOIN unnest('{PENDING,FAILED,HELD,DISCARDED}'::"DeliveryStatus"[]) AS s (status)
    LEFT JOIN LATERAL (
      SELECT left(d.id, 14) AS at ${of} AND d.webhook_id = w.id AND ${isInOrder("d.status", "s.status")}
      ORDER BY d.status ${order}, d.id ${order} OFFSET ${type ? checkedPerPage - 1 : `${page} - 1`} LIMIT 1
    ) AS ended ON true
    WHERE ${partition("w")} AND w.deleted_at IS NULL
  ),
  progress AS MATERIALIZED (SELECT ${first}(at) AS searched_to FROM search),
  found AS (
    SELECT DISTINCT d.event_id FROM progress p CROSS JOIN search s CROSS JOIN LATERAL (
      SELECT d.event_id ${of} AND d.webhook_id = s.webhook_id AND ${isInOrder("d.status", "s.status")} AND ${upTo}
        ${type ? `AND d.event_type = ${bind("text", type)}` : ""} ORDER BY d.status, d.id OFFSET 0
    ) AS d
    ORDER BY d.event_id ${order} LIMIT ${page}
  )
  SELECT e.id, e.payload, p.searched_to AS "searchedTo" FROM progress p
  LEFT JOIN events e ON ${partition("e")} AND e.id = ANY (ARRAY(SELECT event_id FROM found))
  ORDER BY e.id ${order}`;
  return { text, values };
}

/** Longer than the rest of any id, and above all of them. */
const afterTime = "Z".repeat(17);
