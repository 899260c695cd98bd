import type { Partition } from "@/lib/platform/caller";
import type { Statement } from "@/lib/platform/db";
import { firstIdAt } from "@/lib/resources/ids";
import { type ListRequestLogs, maximumScannedRows } from "./schema";

/**
 * Arrays of the same length, one place per request. Also adds them to the hourly counts, always in
 * the same order, so that two processes never deadlock. Records for each key when it first
 * succeeded, which outlives the log.
 */
export const insertRequestLogsStatement: Statement = {
  name: "insert_request_logs",
  text: `
  WITH logged AS (
    INSERT INTO request_logs (
      tenant_id, environment, id, api_key_id, method, path, status, duration_ms, error_kind, idempotency_key, address,
      user_agent, is_replay, request_body, response_body, created_at
    )
    SELECT * FROM unnest(
      $1::text[], $2::text[]::"Environment"[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[],
      $10::text[], $11::text[], $12::text[], $13::boolean[], $14::text[], $15::text[], $16::timestamptz[]
    )
    RETURNING tenant_id, environment, api_key_id, status, created_at
  ),
  first_success AS (
    UPDATE api_keys k SET first_succeeded_at = s.at
    FROM (
      SELECT tenant_id, environment, api_key_id, min(created_at) AS at FROM logged WHERE status BETWEEN 200 AND 299
      GROUP BY tenant_id, environment, api_key_id
    ) s
    WHERE k.tenant_id = s.tenant_id AND k.environment = s.environment AND k.id = s.api_key_id AND k.first_succeeded_at IS NULL
  )
  INSERT INTO request_hours AS h (tenant_id, environment, hour, api_key_id, succeeded, refused, failed)
  SELECT tenant_id, environment, date_trunc('hour', created_at, 'UTC') AS hour, api_key_id, count(*) FILTER (WHERE status < 400),
    count(*) FILTER (WHERE status BETWEEN 400 AND 499), count(*) FILTER (WHERE status >= 500)
  FROM logged GROUP BY tenant_id, environment, hour, api_key_id
  ORDER BY tenant_id, environment, hour, api_key_id
  ON CONFLICT (tenant_id, environment, hour, api_key_id) DO UPDATE SET
    succeeded = h.succeeded + excluded.succeeded, refused = h.refused + excluded.refused, failed = h.failed + excluded.failed`,
};

const countInParts = (condition: string) => `
  SELECT part.place::int AS place, counted.* FROM unnest($3::text[]) WITH ORDINALITY AS part (first_id, place)
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status < 400)::int AS succeeded, count(*) FILTER (WHERE status BETWEEN 400 AND 499)::int AS refused,
      count(*) FILTER (WHERE status >= 500)::int AS failed
    FROM request_logs
    WHERE tenant_id = $1 AND environment = $2::"Environment" AND id >= part.first_id AND id < ($3::text[])[part.place + 1] ${condition}
  ) AS counted
  WHERE part.place < cardinality($3::text[])
  ORDER BY part.place`;

/**
 * $1 tenant, $2 environment, $3 ids that bound the parts: one more than there are parts. Needs only
 * the primary key's index.
 */
export const countRequestsStatement: Statement = { name: "count_requests", text: countInParts("") };

/** The same for the key $4. */
export const countRequestsOfKeyStatement: Statement = {
  name: "count_requests_of_key",
  text: countInParts("AND api_key_id = $4"),
};

const sums =
  "sum(succeeded)::int AS succeeded, sum(refused)::int AS refused, sum(failed)::int AS failed";
const inHours = `tenant_id = $1 AND environment = $2::"Environment" AND hour >= ($3::timestamptz[])[1] AND hour < ($3::timestamptz[])[cardinality($3::timestamptz[])]`;

/**
 * $1 tenant, $2 environment, $3 times that bound the parts, on the hour: one more than there are
 * parts. Parts without requests are left out.
 */
export const sumRequestHoursStatement: Statement = {
  name: "sum_request_hours",
  text: `
  SELECT width_bucket(hour, $3::timestamptz[]) AS place, ${sums} FROM request_hours WHERE ${inHours} GROUP BY place`,
};

/** The same for each of the keys $4. */
export const sumRequestHoursOfKeysStatement: Statement = {
  name: "sum_request_hours_of_keys",
  text: `
  SELECT api_key_id AS "apiKeyId", width_bucket(hour, $3::timestamptz[]) AS place, ${sums} FROM request_hours
  WHERE ${inHours} AND api_key_id = ANY ($4::text[]) GROUP BY api_key_id, place`,
};

const shownColumns = `
    environment, id, api_key_id AS "apiKeyId", method, path, status, duration_ms AS "durationMs", error_kind AS "errorKind",
    idempotency_key AS "idempotencyKey", address, user_agent AS "userAgent", is_replay AS "isReplay", created_at AS "createdAt"`;

const statusRanges = {
  "2xx": "status < 400",
  "4xx": "status BETWEEN 400 AND 499",
  "5xx": "status >= 500",
} as const;

/**
 * A page of requests, and where the scan ended: the last scanned request and the next one, or fewer
 * if all were scanned; null if no scan is needed. One index is read in the order of ids: that of
 * the idempotency key, of the API key, of errors, or the primary key. The rows are then checked
 * against the other filters. The statements are named after the filters, so that each combination
 * has its own plan.
 */
export function searchRequestLogsStatements(
  { tenantId, environment }: Partition,
  query: ListRequestLogs,
) {
  const {
    limit,
    order,
    cursor,
    since,
    until,
    apiKeyId,
    idempotencyKey,
    status,
    method,
    path,
    errorKind,
  } = query;
  const isOfErrors =
    errorKind !== undefined ||
    (typeof status === "number" ? status >= 400 : status === "4xx" || status === "5xx");
  const values: unknown[] = [tenantId, environment];
  let name = `request_logs_${order}_`;
  const written = (label: string, condition: string, value?: unknown) => {
    name += label;
    return condition.replace("#", () => `$${values.push(value)}`);
  };

  const walked = [`tenant_id = $1 AND environment = $2::"Environment"`];
  if (cursor) walked.push(written("c", order === "asc" ? "id > #" : "id < #", cursor));
  if (since) walked.push(written("f", "id >= #", firstIdAt("request", since)));
  if (until) walked.push(written("u", "id < #", firstIdAt("request", until)));
  if (idempotencyKey) walked.push(written("i", "idempotency_key = #", idempotencyKey));
  else if (apiKeyId) walked.push(written("k", "api_key_id = #", apiKeyId));
  else if (isOfErrors) walked.push(written("E", "status >= 400"));
  const lookedAt = `FROM request_logs WHERE ${walked.join(" AND ")} ORDER BY id ${order}`;
  const end = {
    statement: {
      name: `end_of_${name}`,
      text: `SELECT id, created_at AS "createdAt" ${lookedAt} OFFSET ${maximumScannedRows - 1} LIMIT 2`,
    },
    values: [...values],
  };

  const besides: string[] = [];
  if (idempotencyKey && apiKeyId) besides.push(written("K", "api_key_id = #", apiKeyId));
  if (typeof status === "number") besides.push(written("s", "status = #", status));
  else if (status) besides.push(written(status, statusRanges[status]));
  if (method) besides.push(written("m", "method = #", method));
  if (path) besides.push(written("p", "starts_with(path, #)", path));
  if (errorKind) besides.push(written("e", "error_kind = #", errorKind));
  const text = `
  SELECT ${shownColumns}
  FROM (SELECT * ${lookedAt} LIMIT ${maximumScannedRows}) AS looked_at
  ${besides.length > 0 ? `WHERE ${besides.join(" AND ")}` : ""}
  ORDER BY id ${order} LIMIT $${values.push(limit + 1)}::int`;
  return { list: { statement: { name, text }, values }, end: besides.length > 0 ? end : null };
}
