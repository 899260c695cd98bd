import { fewRows, sql } from "@/lib/platform/sql";
import { isDeliveryOf } from "./delivery-ids";
import { isIndexed, objectId } from "./of-object.sql";

const partition = { tenantId: "text", environment: "Environment" } as const;

/**
 * The first event of a time whose payload contains a text. Its id is between the two, and few events
 * have to be read whole.
 */
export const firstEventAboutStatement = sql(
  "first_event_about",
  {
    ...partition,
    types: "text[]",
    afterId: "text",
    beforeId: "text",
    createdAt: "timestamptz?",
    mark: "text",
  },
  (p) => `
  SELECT id, payload FROM events
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND type = ANY (${p.types})
    AND id > ${p.afterId} AND id < ${p.beforeId}
    AND (${p.createdAt} IS NULL OR created_at = ${p.createdAt}) AND strpos(payload, ${p.mark}) > 0
  ORDER BY id LIMIT 1`,
);

/**
 * The next events about a conversation, except that of its creation, which is not in the index. Those
 * that contain the text have a payload.
 */
export const eventsOfConversationStatement = sql(
  "events_of_conversation",
  {
    ...partition,
    conversationId: "text",
    mark: "text",
    afterId: "text",
    limit: "int",
  },
  (p) => `
  SELECT id, CASE WHEN strpos(payload, ${p.mark}) > 0 THEN payload END AS payload FROM events
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND ${isIndexed} AND ${objectId} = ${p.conversationId}
    AND id > ${p.afterId}
  ORDER BY id LIMIT ${p.limit}`,
);

/**
 * The idempotency keys whose stored response starts with this id, by the time at which the responses
 * expire.
 */
export const keysReturningStatement = sql(
  "keys_returning",
  { ...partition, id: "text", expiresAfter: "timestamptz", expiresBefore: "timestamptz" },
  (p) => `
  SELECT i.key FROM idempotency_records i
  WHERE i.expires_at > ${p.expiresAfter} AND i.expires_at < ${p.expiresBefore}
    AND i.tenant_id = ${p.tenantId} AND i.environment = ${p.environment}
    AND NOT i.is_encrypted AND starts_with(i.body, '{"id":"' || ${p.id} || '"')`,
);

/**
 * Notes that a request returned a resource, and that no event names the request. The key ends with a
 * character that no client's key can have.
 */
export const noteRequestStatement = sql(
  "note_request",
  { ...partition, key: "text", idempotencyKey: "text", expiresAt: "timestamptz" },
  (p) => `
  INSERT INTO idempotency_records (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
  VALUES (${p.tenantId}, ${p.environment}, ${p.key}, '', 200, ${p.idempotencyKey}, now(), ${p.expiresAt})
  ON CONFLICT DO NOTHING`,
);

/** The next requests that were noted, by the keys between these two. */
export const notedRequestsStatement = sql(
  "noted_requests",
  {
    ...partition,
    afterKey: "text",
    beforeKey: "text",
    limit: "int",
  },
  (p) => `
  SELECT i.key, i.body AS "idempotencyKey", i.created_at AS "createdAt" FROM idempotency_records i
  WHERE i.tenant_id = ${p.tenantId} AND i.environment = ${p.environment} AND i.key > ${p.afterKey} AND i.key < ${p.beforeKey}
  ORDER BY i.key LIMIT ${p.limit}`,
);

/**
 * Each key with a time. A record from after that time is of another request, which uses the same key
 * again.
 */
export const forgetResponsesStatement = sql(
  "forget_stored_responses",
  { ...partition, keys: "text[]", times: "timestamptz[]" },
  (p) => `
  UPDATE idempotency_records i SET status = 410, body = '', is_encrypted = false
  FROM unnest(${p.keys}, ${p.times}) AS r (key, before)
  WHERE i.tenant_id = ${p.tenantId} AND i.environment = ${p.environment} AND i.key = ANY (${p.keys})
    AND i.key = r.key AND i.created_at < r.before`,
);

/**
 * Replaces the payloads of events, and removes what is stored of their deliveries' responses. A
 * delivery that is in flight loses its lease: its response is not recorded, and it is sent again.
 * An event whose new payload is null keeps its own.
 * Takes the first deliveries after an id. Returns how many, and the last of them.
 */
export const redactEventsStatement = sql(
  "redact_events",
  { ...partition, ids: "text[]", payloads: "text?[]", afterId: "text" },
  (p) => {
    const within = (alias: string) =>
      `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = ${p.environment}`;
    return `
  WITH event AS (
    UPDATE events e SET payload = r.payload FROM unnest(${p.ids}, ${p.payloads}) AS r (id, payload)
    WHERE ${within("e")} AND e.id = ANY (${p.ids}) AND e.id = r.id AND r.payload IS NOT NULL
  ),
  chosen AS MATERIALIZED (
    SELECT d.id FROM unnest(${p.ids}) AS r (id) CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d WHERE ${within("d")} AND d.event_id = r.id AND ${isDeliveryOf("d.id", "r.id")} AND d.id > ${p.afterId}
      FOR NO KEY UPDATE
    ) AS d
    ORDER BY d.id LIMIT ${fewRows}
  ),
  delivery AS (
    UPDATE deliveries d SET first_response = NULL, lease_holder = NULL, lease_expires_at = NULL
    WHERE ${within("d")} AND d.id = ANY (ARRAY(SELECT id FROM chosen)) AND (d.first_response IS NOT NULL OR d.lease_holder IS NOT NULL)
  ),
  attempt AS (
    UPDATE delivery_attempts a SET response = NULL, response_headers = NULL
    WHERE ${within("a")} AND a.delivery_id = ANY (ARRAY(SELECT id FROM chosen)) AND (a.response IS NOT NULL OR a.response_headers IS NOT NULL)
  )
  SELECT count(*)::int AS deliveries, max(id) AS "lastId" FROM chosen`;
  },
);
