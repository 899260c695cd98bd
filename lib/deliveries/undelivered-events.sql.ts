import type { Partition } from "@/lib/platform/caller";
import { bindings, type Query } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";

export type ListUndelivered = {
  type?: string | undefined;
  since?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
  order: "asc" | "desc";
};

/** The maximum number of deliveries of one webhook and status that are checked for a type. */
const mostChecked = 5_000;

/**
 * Events with a delivery that has not succeeded. Reads a page for each webhook and each such
 * status, because the index has the order of the list only within both. The id of a delivery starts
 * with the same time as the id of its event.
 */
export function undeliveredEventsStatement(
  { tenantId, environment }: Partition,
  { type, since, cursor, limit, order }: ListUndelivered,
): Query {
  const { bind, values } = bindings();
  const [tenant, within] = [bind("text", tenantId), bind("Environment", environment)];
  const partition = (row: string) =>
    `${row}.tenant_id = ${tenant} AND ${row}.environment = ${within}`;
  const conditions = [`${partition("d")} AND d.webhook_id = w.id AND d.status = s.status`];
  if (since) conditions.push(`d.id >= ${bind("text", firstIdAt("delivery", since))}`);
  if (cursor) {
    const time = cursor.slice(4, 14);
    const bound = order === "asc" ? `dlv_${time}` : `dlv_${time}${"Z".repeat(17)}`;
    const beyond = order === "asc" ? ">" : "<";
    conditions.push(`d.id ${beyond} ${bind("text", bound)}`);
    conditions.push(`d.event_id ${beyond} ${bind("text", cursor)}`);
  }
  const page = bind("int", limit + 1);
  const of = `FROM deliveries d WHERE ${conditions.join(" AND ")} ORDER BY d.id ${order}`;
  const text = `
  SELECT e.id, e.payload FROM events e
  WHERE ${partition("e")} AND e.id = ANY (ARRAY(
    SELECT DISTINCT found.event_id FROM webhooks w
    CROSS JOIN unnest('{PENDING,FAILED,HELD,DISCARDED}'::"DeliveryStatus"[]) AS s (status)
    CROSS JOIN LATERAL (
      ${
        type
          ? `SELECT event_id FROM (SELECT d.event_id, d.event_type ${of} LIMIT ${mostChecked}) AS checked WHERE event_type = ${bind("text", type)} LIMIT ${page}`
          : `SELECT d.event_id ${of} LIMIT ${page}`
      }
    ) AS found
    WHERE ${partition("w")} AND w.deleted_at IS NULL ORDER BY found.event_id ${order} LIMIT ${page}
  ))
  ORDER BY e.id ${order}`;
  return { text, values };
}
