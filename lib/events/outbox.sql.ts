/**
 * The parts that every one-statement change has in common. They share their first parameters:
 *
 *   $1 tenant id, $2 environment, $3 now,
 * $4 idempotency key or null, $5 fingerprint, $6 status of the answer, $7 its body, $8 when the
 * record expires,
 *   $9 event ids, $10 event types, $11 event payloads
 *
 * and a common table expression `go`, which has a row if and only if the change is to happen.
 */
export const partition = `$1::text, $2::"Environment"`;

/**
 * `claim`: the idempotency record, written by whoever comes first. A second transaction with the
 * same key waits here until the first one ends, and then finds the record there; an expired record
 * is replaced.
 */
export const claim = ({ from, body = "$7::text" }: { from: string; body?: string }) => `
  claim AS (
    INSERT INTO idempotency_records AS existing (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
    SELECT ${partition}, $4::text, $5::bytea, $6::int, ${body}, $3::timestamptz, $8::timestamptz FROM ${from} WHERE $4::text IS NOT NULL
    ON CONFLICT (tenant_id, environment, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, is_encrypted = false,
          created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE existing.expires_at <= excluded.created_at
    RETURNING 1
  )`;

/**
 * A webhook that looks disabled may just be being enabled: its row is locked, which waits for the
 * end of that and reads the status anew, or keeps the enabling waiting until what is held here can
 * be seen. One that is enabled is not locked.
 */
const isEnabled = `(w.status = 'ENABLED' OR 'ENABLED' = (
        SELECT s.status FROM webhooks s
        WHERE s.tenant_id = w.tenant_id AND s.environment = w.environment AND s.id = w.id FOR SHARE))`;

/**
 * `event` and `delivery`: the events, and one delivery for each webhook that wants one of them. A
 * disabled webhook's deliveries are held. A delivery's id is made of its event's time and a digest
 * of event and webhook.
 */
export const eventAndDeliveries = ({
  payload = "e.payload",
  at = "$3::timestamptz",
  where = "true",
} = {}) => `
  event AS (
    INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
    SELECT ${partition}, e.id, e.type, ${payload}, ${at}
    FROM go, unnest($9::text[], $10::text[], $11::text[]) AS e (id, type, payload)
    RETURNING id
  ),
  delivery AS (
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
    SELECT ${partition}, 'dlv_' || substr(e.id, 5, 10) || upper(substr(md5(e.id || w.id), 1, 16)), w.id, e.id, e.type,
      CASE WHEN ${isEnabled} THEN 'PENDING' ELSE 'HELD' END::"DeliveryStatus",
      CASE WHEN ${isEnabled} THEN least($3::timestamptz, clock_timestamp()) END, $3::timestamptz, $3::timestamptz
    FROM go, unnest($9::text[], $10::text[]) AS e (id, type)
    JOIN webhooks w ON w.tenant_id = $1::text AND w.environment = $2::"Environment" AND w.deleted_at IS NULL
      AND w.events && ARRAY['*', split_part(e.type, '.', 1) || '.*', e.type]
    WHERE ${where}
    RETURNING id
  )`;
