import type { Partition } from "@/lib/platform/caller";
import { bindings, type Query } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";
import type { ResponseClass, SearchDeliveries } from "./schema";

/**
 * Written as literals and not bound, because only then does the planner see that the index of
 * unsuccessful deliveries covers them.
 */
const responses: Record<ResponseClass, string> = {
  "2xx": "d.status = 'DELIVERED' AND d.response_class = 2",
  "3xx": "d.response_class = 3 AND d.response_class <> 2",
  "4xx": "d.response_class = 4 AND d.response_class <> 2",
  "5xx": "d.response_class = 5 AND d.response_class <> 2",
  none: "d.response_class = 0 AND d.response_class <> 2",
};

/** Of many ids that are made in one moment, some have a later time than their rows. */
const idToleranceMs = 60_000;

/**
 * A page of one webhook's deliveries, each with its last attempt. Each combination of filters is a
 * statement with a plan of its own. Ids have the times of their events, and bound what is read. Times
 * of rows choose among those whose ids were made in one moment.
 */
export function searchDeliveriesStatement(
  partition: Partition,
  webhookId: string,
  query: SearchDeliveries,
): Query {
  const { limit, order, cursor, status, eventType, response, since, until } = query;
  const { bind, values } = bindings();
  const tenantId = bind("text", partition.tenantId);
  const environment = bind("Environment", partition.environment);
  const conditions = [
    `d.tenant_id = ${tenantId} AND d.environment = ${environment} AND d.webhook_id = ${bind("text", webhookId)}`,
  ];
  if (cursor) conditions.push(`d.id ${order === "asc" ? ">" : "<"} ${bind("text", cursor)}`);
  // A single status is compared by equality: only then the index returns the rows in order.
  if (status?.length === 1 && status[0])
    conditions.push(`d.status = ${bind("DeliveryStatus", status[0])}`);
  else if (status) conditions.push(`d.status = ANY (${bind("DeliveryStatus[]", status)})`);
  if (eventType) conditions.push(`d.event_type = ${bind("text", eventType)}`);
  if (response) conditions.push(responses[response]);
  if (since) {
    conditions.push(`d.id >= ${bind("text", firstIdAt("delivery", since))}`);
    conditions.push(`d.created_at >= ${bind("timestamptz", since)}`);
  }
  if (until) {
    const firstIdAfter = (ms: number) =>
      bind("text", firstIdAt("delivery", new Date(until.getTime() + ms)));
    conditions.push(`d.id < ${firstIdAfter(idToleranceMs)}`);
    conditions.push(`(d.id < ${firstIdAfter(1)} OR d.created_at <= ${bind("timestamptz", until)})`);
  }

  const text = `
  SELECT d.id, d."webhookId", d."eventId", d."eventType", d.status, d."attemptCount", d."nextAttemptAt", d."createdAt",
    CASE WHEN d."attemptCount" = 1 THEN coalesce(d.first_status_code, a.status_code) ELSE a.status_code END AS "statusCode", a.error_code AS "errorCode"
  FROM (
    SELECT d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", d.event_type AS "eventType", d.status,
      d.attempt_count AS "attemptCount", coalesce(d.requested_at, d.next_attempt_at) AS "nextAttemptAt", d.created_at AS "createdAt",
      d.first_status_code
    FROM deliveries d WHERE ${conditions.join(" AND ")} ORDER BY d.id ${order} LIMIT ${bind("int", limit + 1)}
  ) d
  LEFT JOIN delivery_attempts a ON a.tenant_id = ${tenantId} AND a.environment = ${environment} AND a.delivery_id = d.id AND a.number = d."attemptCount"
  ORDER BY d.id ${order}`;
  return { name: `search_deliveries_${order}`, text, values };
}
