import type { Statement } from "@/lib/db";

/**
 * Arrays of the same length, a place for each request. Counts them for their hours as well: in one order, so that two
 * processes never wait for each other.
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

/** $1 tenant, $2 environment, $3 ids that bound the parts: one more than there are parts. Read from the key's index alone. */
export const countRequestsStatement: Statement = { name: "count_requests", text: countInParts("") };

/** The same for the key $4. */
export const countRequestsOfKeyStatement: Statement = { name: "count_requests_of_key", text: countInParts("AND api_key_id = $4") };

const sums = "sum(succeeded)::int AS succeeded, sum(refused)::int AS refused, sum(failed)::int AS failed";
const inHours = `tenant_id = $1 AND environment = $2::"Environment" AND hour >= ($3::timestamptz[])[1] AND hour < ($3::timestamptz[])[cardinality($3::timestamptz[])]`;

/** $1 tenant, $2 environment, $3 times that bound the parts, on the hour: one more than there are parts. Parts without any are left out. */
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

/**
 * The conditions that a list of requests can have; each takes the value behind it. A class of statuses is written out,
 * and what is no success says so once more, because the index of refused and failed requests is found by these words.
 */
const conditions = {
  after: (value: string) => `id > ${value}`,
  before: (value: string) => `id < ${value}`,
  since: (value: string) => `id >= ${value}`,
  until: (value: string) => `id < ${value}`,
  apiKeyId: (value: string) => `api_key_id = ${value}`,
  idempotencyKey: (value: string) => `idempotency_key = ${value}`,
  method: (value: string) => `method = ${value}`,
  path: (value: string) => `starts_with(path, ${value})`,
  errorKind: (value: string) => `error_kind = ${value} AND status >= 400`,
  successStatus: (value: string) => `status = ${value} AND status < 400`,
  errorStatus: (value: string) => `status = ${value} AND status >= 400`,
} as const;

export type RequestCondition = keyof typeof conditions;

const statusRanges = {
  "2xx": "status < 400",
  "4xx": "status BETWEEN 400 AND 499 AND status >= 400",
  "5xx": "status >= 500 AND status >= 400",
} as const;

/** $1 tenant, $2 environment, $3 how many at the most, then the values of the conditions in their order. */
export function listRequestLogsStatement(
  wanted: RequestCondition[],
  statusRange: keyof typeof statusRanges | undefined,
  order: "asc" | "desc",
): Statement {
  const written = [...wanted.map((name, index) => conditions[name](`$${index + 4}`)), ...(statusRange ? [statusRanges[statusRange]] : [])];
  return {
    name: ["list_request_logs", order, ...wanted, statusRange].filter(Boolean).join("_"),
    text: `
  SELECT ${shownColumns}
  FROM request_logs
  WHERE ${['tenant_id = $1 AND environment = $2::"Environment"', ...written].join(" AND ")}
  ORDER BY id ${order} LIMIT $3::int`,
  };
}
