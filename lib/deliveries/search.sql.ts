import type { Statement } from "@/lib/platform/db";
import { firstIdAt } from "@/lib/resources/ids";
import type { ResponseClass, SearchDeliveries } from "./schema";

/**
 * Written out, not as parameters: only so can the planner tell that the index of what did not
 * succeed holds them.
 */
const responses: Record<ResponseClass, string> = {
  "2xx": "d.status = 'DELIVERED' AND d.response_class = 2",
  "3xx": "d.response_class = 3 AND d.response_class <> 2",
  "4xx": "d.response_class = 4 AND d.response_class <> 2",
  "5xx": "d.response_class = 5 AND d.response_class <> 2",
  none: "d.response_class = 0 AND d.response_class <> 2",
};

/** An id may be of a moment later than its row, where many were made at once. */
const idToleranceMs = 60_000;

/**
 * A page of one webhook's deliveries, each with its last attempt. The statement is named after the
 * filters that are asked for, so that each combination has a plan of its own. Times choose among
 * the rows; ids of these times bound what is read.
 */
export function searchDeliveriesStatement(
  tenantId: string,
  environment: string,
  webhookId: string,
  query: SearchDeliveries,
) {
  const { limit, order, cursor, status, eventType, response, since, until } = query;
  const values: unknown[] = [tenantId, environment, webhookId, limit + 1];
  let name = `search_deliveries_${order}_`;
  let where = `d.tenant_id = $1 AND d.environment = $2::"Environment" AND d.webhook_id = $3`;
  const add = (label: string, condition: string, ...given: unknown[]) => {
    name += label;
    where += ` AND ${condition.replaceAll("#", () => String(values.push(given.shift())))}`;
  };
  if (cursor) add("c", order === "asc" ? "d.id > $#" : "d.id < $#", cursor);
  // A single status is compared by equality: that alone lets the index give the rows in their
  // order.
  if (status?.length === 1) add("s", `d.status = $#::"DeliveryStatus"`, status[0]);
  else if (status) add("S", `d.status = ANY ($#::"DeliveryStatus"[])`, status);
  if (eventType) add("e", "d.event_type = $#", eventType);
  if (response) add(response, responses[response]);
  if (since) add("f", "d.id >= $# AND d.created_at >= $#", firstIdAt("delivery", since), since);
  if (until)
    add(
      "u",
      "d.id < $# AND d.created_at <= $#",
      firstIdAt("delivery", new Date(until.getTime() + idToleranceMs)),
      until,
    );

  const text = `
  SELECT d.*, a.status_code AS "statusCode", a.error_code AS "errorCode"
  FROM (
    SELECT d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", d.event_type AS "eventType", d.status,
      d.attempt_count AS "attemptCount", coalesce(d.requested_at, d.next_attempt_at) AS "nextAttemptAt", d.created_at AS "createdAt"
    FROM deliveries d WHERE ${where} ORDER BY d.id ${order} LIMIT $4
  ) d
  LEFT JOIN delivery_attempts a ON a.tenant_id = $1 AND a.environment = $2::"Environment" AND a.delivery_id = d.id AND a.number = d."attemptCount"
  ORDER BY d.id ${order}`;
  return { statement: { name, text } satisfies Statement, values };
}
