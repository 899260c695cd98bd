import type { Statement } from "@/lib/db";

/** Arrays of the same length, a place for each request. */
export const insertRequestLogsStatement: Statement = {
  name: "insert_request_logs",
  text: `
  INSERT INTO request_logs (
    tenant_id, environment, id, api_key_id, method, path, status, duration_ms, error_kind, idempotency_key, address,
    request_body, response_body, created_at
  )
  SELECT * FROM unnest(
    $1::text[], $2::text[]::"Environment"[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[],
    $10::text[], $11::text[], $12::text[], $13::text[], $14::timestamptz[]
  )`,
};

/** $1 tenant, $2 environment, $3 ids that bound the parts: one more than there are parts. Read from the key's index alone. */
export const countRequestsStatement: Statement = {
  name: "count_requests",
  text: `
  SELECT part.place::int AS place, counted.* FROM unnest($3::text[]) WITH ORDINALITY AS part (first_id, place)
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status < 400)::int AS succeeded, count(*) FILTER (WHERE status BETWEEN 400 AND 499)::int AS refused,
      count(*) FILTER (WHERE status >= 500)::int AS failed
    FROM request_logs
    WHERE tenant_id = $1 AND environment = $2::"Environment" AND id >= part.first_id AND id < ($3::text[])[part.place + 1]
  ) AS counted
  WHERE part.place < cardinality($3::text[])
  ORDER BY part.place`,
};
