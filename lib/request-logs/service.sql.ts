import type { Partition } from "@/lib/platform/caller";
import { bindings, type Query, type References, sql } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";
import { type ListRequestLogs, maximumScannedRows, pathOfLog } from "./schema";

/**
 * Writes requests from arrays with one element per request. Requests that an earlier attempt wrote
 * are left out, in the counts too: the connection may be lost after the commit. Also adds them to the hourly counts,
 * always in the same order, so that two processes never deadlock, and records when each key first
 * succeeded, which is stored longer than the log.
 */
export const insertRequestLogsStatement = sql(
  "insert_request_logs",
  {
    tenantIds: "text[]",
    environments: "Environment[]",
    ids: "text[]",
    apiKeyIds: "text[]",
    methods: "text[]",
    paths: "text[]",
    statuses: "int[]",
    durationsMs: "int[]",
    errorKinds: "text?[]",
    idempotencyKeys: "text?[]",
    addresses: "text?[]",
    userAgents: "text?[]",
    areReplays: "boolean[]",
    requestBodies: "text?[]",
    responseBodies: "text?[]",
    times: "timestamptz[]",
  },
  (p) => `
  WITH logged AS (
    INSERT INTO request_logs (
      tenant_id, environment, id, api_key_id, method, path, status, duration_ms, error_kind, idempotency_key, address,
      user_agent, is_replay, request_body, response_body, created_at
    )
    SELECT * FROM unnest(
      ${p.tenantIds}, ${p.environments}, ${p.ids}, ${p.apiKeyIds}, ${p.methods}, ${p.paths}, ${p.statuses}, ${p.durationsMs},
      ${p.errorKinds}, ${p.idempotencyKeys}, ${p.addresses}, ${p.userAgents}, ${p.areReplays}, ${p.requestBodies},
      ${p.responseBodies}, ${p.times}
    )
    ON CONFLICT (tenant_id, environment, id) DO NOTHING
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
);

const partition = { tenantId: "text", environment: "Environment" } as const;
/** The first ids of the parts, and of the part after the last. */
const idBounds = { ...partition, firstIds: "text[]" } as const;
/** Their first times, on the hour. */
const timeBounds = { ...partition, times: "timestamptz[]" } as const;

const countInParts = (p: References<typeof idBounds>, condition: string) => `
  SELECT part.place::int AS place, counted.* FROM unnest(${p.firstIds}) WITH ORDINALITY AS part (first_id, place)
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status < 400)::int AS succeeded, count(*) FILTER (WHERE status BETWEEN 400 AND 499)::int AS rejected,
      count(*) FILTER (WHERE status >= 500)::int AS failed
    FROM request_logs
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id >= part.first_id AND id < (${p.firstIds})[part.place + 1] ${condition}
  ) AS counted
  WHERE part.place < cardinality(${p.firstIds})
  ORDER BY part.place`;

/** Read from the primary key's index alone. */
export const countRequestsStatement = sql("count_requests", idBounds, (p) => countInParts(p, ""));

/** The same for one key. */
export const countRequestsOfKeyStatement = sql(
  "count_requests_of_key",
  { ...idBounds, apiKeyId: "text" },
  (p) => countInParts(p, `AND api_key_id = ${p.apiKeyId}`),
);

const sums =
  "sum(succeeded)::int AS succeeded, sum(refused)::int AS rejected, sum(failed)::int AS failed";
const inHours = (p: References<typeof timeBounds>) =>
  `tenant_id = ${p.tenantId} AND environment = ${p.environment} AND hour >= (${p.times})[1] AND hour < (${p.times})[cardinality(${p.times})]`;

/** Parts without requests are left out. */
export const sumRequestHoursStatement = sql(
  "sum_request_hours",
  timeBounds,
  (p) => `
  SELECT width_bucket(hour, ${p.times}) AS place, ${sums} FROM request_hours WHERE ${inHours(p)} GROUP BY place`,
);

/** The same for each of several keys. */
export const sumRequestHoursOfKeysStatement = sql(
  "sum_request_hours_of_keys",
  { ...timeBounds, apiKeyIds: "text[]" },
  (p) => `
  SELECT api_key_id AS "apiKeyId", width_bucket(hour, ${p.times}) AS place, ${sums} FROM request_hours
  WHERE ${inHours(p)} AND api_key_id = ANY (${p.apiKeyIds}) GROUP BY api_key_id, place`,
);

const shownColumns = `
    environment, id, api_key_id AS "apiKeyId", method, path, status, duration_ms AS "durationMs", error_kind AS "errorKind",
    idempotency_key AS "idempotencyKey", address, user_agent AS "userAgent", is_replay AS "isReplay", created_at AS "createdAt"`;

const statusRanges = {
  "2xx": "status < 400",
  "4xx": "status BETWEEN 400 AND 499",
  "5xx": "status >= 500",
} as const;

/**
 * A page of requests. One index is read in the order of ids: that of the idempotency key, of the API
 * key or of errors, or the primary key. The other filters are checked against what it returns. Then
 * each row, or one without a request, also has where a search that does not fill its page ended
 * (`ends`): the last request that was read and the one after it, or fewer if all were read. One
 * statement finds both, so that requests that are logged meanwhile do not move the end. Each
 * combination of filters is a statement with a plan of its own.
 */
export function searchRequestLogsStatement(
  partition: Partition,
  query: ListRequestLogs,
  { isWithoutReadsOfLog = false } = {},
): Query {
  const { limit, order } = query;
  const { bind, values, fromIndex, checked } = selectRequests(partition, query);
  if (isWithoutReadsOfLog)
    checked.push(`NOT (status < 400 AND starts_with(path, ${bind("text", pathOfLog)}))`);
  const rows = bind("int", limit + 1);
  if (checked.length === 0) {
    const text = `SELECT ${shownColumns} ${fromIndex} LIMIT ${rows}`;
    return { name: `request_logs_${order}`, text, values };
  }
  const text = `
  WITH page AS MATERIALIZED (
    SELECT ${shownColumns}
    FROM (SELECT * ${fromIndex} LIMIT ${maximumScannedRows}) AS read
    WHERE ${checked.join(" AND ")}
    ORDER BY id ${order} LIMIT ${rows}
  )
  SELECT page.*, searched.ends
  FROM (
    SELECT CASE WHEN (SELECT count(*) FROM page) < ${rows} THEN ARRAY(SELECT id ${fromIndex} OFFSET ${maximumScannedRows - 1} LIMIT 2) END AS ends
  ) AS searched
  LEFT JOIN page ON true
  ORDER BY page.id ${order}`;
  return { name: `filtered_request_logs_${order}`, text, values };
}

const mostGroups = 50;

const operationOfPath =
  "regexp_replace(split_part(path, '?', 1), '[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}', '{id}', 'g')";

/**
 * The latest errors that a query selects, grouped. Paths that differ only in ids are one operation.
 */
export function groupErrorsStatement(partition: Partition, query: ListRequestLogs): Query {
  const errors = { ...query, order: "desc" as const, cursor: undefined };
  const { values, fromIndex, checked } = selectRequests(partition, errors, { isOfErrors: true });
  const text = `
  SELECT error_kind AS "errorKind", method, status, ${operationOfPath} AS operation,
    count(*)::int AS count, max(created_at) AS "lastAt"
  FROM (SELECT * ${fromIndex} LIMIT ${maximumScannedRows}) AS read
  ${checked.length > 0 ? `WHERE ${checked.join(" AND ")}` : ""}
  GROUP BY 1, 2, 3, 4 ORDER BY count DESC, "lastAt" DESC LIMIT ${mostGroups}`;
  return { text, values };
}

/**
 * What both statements select: the part that an index returns in the order of ids, and the
 * conditions that are checked against it.
 */
function selectRequests(
  { tenantId, environment }: Partition,
  query: ListRequestLogs,
  { isOfErrors: isOnlyErrors = false } = {},
) {
  const { order, cursor, since, until, apiKeyId, idempotencyKey } = query;
  const { status, method, path, operation, errorKind } = query;
  const isOfErrors =
    isOnlyErrors ||
    errorKind !== undefined ||
    (typeof status === "number" ? status >= 400 : status === "4xx" || status === "5xx");
  const { bind, values } = bindings();

  const inIndex = [
    `tenant_id = ${bind("text", tenantId)} AND environment = ${bind("Environment", environment)}`,
  ];
  if (cursor) inIndex.push(`id ${order === "asc" ? ">" : "<"} ${bind("text", cursor)}`);
  if (since) inIndex.push(`id >= ${bind("text", firstIdAt("request", since))}`);
  if (until) inIndex.push(`id < ${bind("text", firstIdAt("request", until))}`);
  if (idempotencyKey) inIndex.push(`idempotency_key = ${bind("text", idempotencyKey)}`);
  else if (apiKeyId) inIndex.push(`api_key_id = ${bind("text", apiKeyId)}`);
  else if (isOfErrors) inIndex.push("status >= 400");
  const fromIndex = `FROM request_logs WHERE ${inIndex.join(" AND ")} ORDER BY id ${order}`;

  const checked: string[] = [];
  if (idempotencyKey && apiKeyId) checked.push(`api_key_id = ${bind("text", apiKeyId)}`);
  if (typeof status === "number") checked.push(`status = ${bind("int", status)}`);
  else if (status) checked.push(statusRanges[status]);
  if (method) checked.push(`method = ${bind("text", method)}`);
  if (path) checked.push(`starts_with(path, ${bind("text", path)})`);
  if (operation) checked.push(`${operationOfPath} = ${bind("text", operation)}`);
  if (errorKind) checked.push(`error_kind = ${bind("text", errorKind)}`);
  // With one of these filters, another index is read, which has successful requests too.
  if (isOnlyErrors && (idempotencyKey || apiKeyId)) checked.push("status >= 400");
  return { bind, values, fromIndex, checked };
}
