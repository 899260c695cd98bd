import type { References, ValuesOf } from "@/lib/platform/sql";
import { passesFilter } from "./filter.sql";

// The parts that one-statement changes have in common. Each refers to a common table expression
// `go`, which has a row for each change that is to happen. The parameters can be its columns.

/** Where and when a change happens. */
export const changeParameters = {
  tenantId: "text",
  environment: "Environment",
  at: "timestamptz",
} as const;

/** The idempotency record that a change writes with its effect; all null without a key. */
export const recordParameters = {
  idempotencyKey: "text?",
  fingerprint: "bytea?",
  responseStatus: "int?",
  responseBody: "text?",
  recordExpiresAt: "timestamptz?",
} as const;

/** An event that a change raises; all null without one. */
export const eventParameters = {
  eventId: "text?",
  eventType: "text?",
  eventPayload: "text?",
  eventConversationId: "text?",
  /** The trace that its deliveries continue, if the request is traced. */
  traceparent: "text?",
} as const;

export type RecordValues = ValuesOf<typeof recordParameters>;
export type EventValues = ValuesOf<typeof eventParameters>;

type ChangeReferences = References<typeof changeParameters>;
type RecordReferences = References<typeof recordParameters>;
type EventReferences = References<typeof eventParameters>;
type KeyReferences = Pick<
  ChangeReferences & RecordReferences,
  "tenantId" | "environment" | "idempotencyKey"
>;

/**
 * `record`: the idempotency records, each written by the request that comes first. A second
 * transaction with the same key waits here until the first one ends, and then finds the record. An
 * expired record is replaced.
 *
 * Each writer takes a lock on its key first, and holds it until its transaction ends. A statement
 * with many changes leaves out those whose lock it does not get: on the unique index, it could only
 * wait.
 */
export const writeRecord = (
  p: ChangeReferences & RecordReferences,
  { from, body = p.responseBody, lock = "wait" }: WriteRecord,
) => `
  record AS (
    INSERT INTO idempotency_records AS existing (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.idempotencyKey}, ${p.fingerprint}, ${p.responseStatus}, ${body}, ${p.at}, ${p.recordExpiresAt}
    FROM ${from} WHERE ${p.idempotencyKey} IS NOT NULL AND ${locks[lock](p)}
    ON CONFLICT (tenant_id, environment, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, is_encrypted = false,
          created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE existing.expires_at <= excluded.created_at
    RETURNING existing.tenant_id, existing.environment, existing.key
  )`;

/** Locks the key of a change, unless another transaction has locked it. True without a key. */
export const locksKey = (p: KeyReferences) =>
  `(${p.idempotencyKey} IS NULL OR pg_try_advisory_xact_lock(${keyOf(p)}))`;

/** Whether the key has a valid record that is visible to this statement. */
export const hasRecord = (p: ChangeReferences & RecordReferences) =>
  `(SELECT true FROM idempotency_records
      WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND key = ${p.idempotencyKey} AND expires_at > ${p.at}) IS NOT NULL`;

const keyOf = (p: KeyReferences) =>
  `hashtextextended(${p.tenantId} || ' ' || ${p.environment} || ' ' || ${p.idempotencyKey}, 0)`;

type WriteRecord = {
  /** Has a row for each record. */
  from: string;
  body?: string;
  /** Whether to lock the keys, or whether `from` has only those whose keys are locked. */
  lock?: keyof typeof locks;
};

const locks = {
  wait: (p: ChangeReferences & RecordReferences) =>
    `pg_advisory_xact_lock(${keyOf(p)}) IS NOT NULL`,
  held: () => "true",
};

/** Whether a change is to happen: there is no key, or its record was written. */
export const isFirst = (p: ChangeReferences & RecordReferences) =>
  `(${p.idempotencyKey} IS NULL OR (${p.tenantId}, ${p.environment}, ${p.idempotencyKey}) IN (SELECT tenant_id, environment, key FROM record))`;

/**
 * `record` and `go`, which has the rows of `source` that have no key, or are the first with theirs. With
 * many, `keyed` has those whose keys are locked, and the others are left out.
 */
export const writeFirst = (
  of: (table: string) => ChangeReferences & RecordReferences,
  source: string,
  isMany: boolean,
): string => {
  const from = isMany ? "keyed" : source;
  return `
  ${isMany ? `keyed AS MATERIALIZED (SELECT * FROM ${source} WHERE ${locksKey(of(source))}),` : ""}
  ${writeRecord(of(from), { from, lock: isMany ? "held" : "wait" })},
  go AS (SELECT * FROM ${from} WHERE ${isFirst(of(from))})`;
};

/**
 * Another transaction may be enabling a webhook that looks disabled here. Locking its row either
 * waits for that transaction and reads the status again, or makes that transaction wait until the
 * deliveries held here are visible. An enabled webhook is not locked.
 *
 * A statement with many changes fails instead of waiting. Fewer of them are then tried together, and
 * in the end only those of that webhook wait.
 */
const isEnabled = (isMany: boolean) => `(w.status = 'ENABLED' OR 'ENABLED' = (
        SELECT s.status FROM webhooks s
        WHERE s.tenant_id = w.tenant_id AND s.environment = w.environment AND s.id = w.id FOR SHARE${isMany ? " NOWAIT" : ""}))`;

/**
 * The id of the one delivery of an event to a webhook: the event's time, and a digest of both. The
 * parameters are the columns with their ids.
 */
export const deliveryIdOf = (eventId: string, webhookId: string): string =>
  `'dlv_' || substr(${eventId}, 5, 10) || upper(substr(md5(${eventId} || ${webhookId}), 1, 16))`;

type EventColumns = Pick<
  EventReferences,
  "eventId" | "eventType" | "eventPayload" | "eventConversationId"
>;

type WriteEvents = {
  /** The conversation that the event is about, as JSON, or a list of its states (filter.sql.ts). */
  conversations: string;
  payload?: string;
  at?: string;
  where?: string;
  /** Further events of the same change. */
  others?: EventColumns[];
  /** Whether to fail rather than wait for a webhook's row. */
  isMany?: boolean;
};

/**
 * `event` and `delivery`: the events, and one delivery for each webhook that subscribes to one of
 * them and whose filter it passes. A disabled webhook's deliveries are held. Deliveries of a webhook
 * with ordering get a place in the lane of their conversation, whose row the transaction has locked:
 * with many changes, all rows are locked before `go` returns the first one, or a row that another
 * transaction changed in between is not in `go`.
 * Without such a webhook, no position is taken. The events of one statement share it, and follow the
 * order of their ids.
 */
export const writeEvents = (
  p: ChangeReferences & EventReferences,
  {
    conversations,
    payload = "e.payload",
    at = p.at,
    where = "true",
    others = [],
    isMany = false,
  }: WriteEvents,
) => {
  const values = ({ eventId, eventType, eventPayload, eventConversationId }: EventColumns) =>
    `(${eventId}, ${eventType}, ${eventPayload}, ${eventConversationId})`;
  // Without its condition, the event that a change does not raise would match webhooks for all events.
  const events = `go CROSS JOIN LATERAL (SELECT * FROM (VALUES ${[p, ...others].map(values).join(", ")})
      AS e (id, type, payload, conversation_id) WHERE id IS NOT NULL) AS e`;
  return `
  event AS (
    INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
    SELECT ${p.tenantId}, ${p.environment}, e.id, e.type, ${payload}, ${at} FROM ${events}
  ),
  delivery AS (
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, conversation_id, position,
      traceparent, created_at, updated_at)
    SELECT ${p.tenantId}, ${p.environment}, ${deliveryIdOf("e.id", "w.id")}, w.id, e.id, e.type,
      CASE WHEN ${isEnabled(isMany)} THEN 'PENDING' ELSE 'HELD' END::"DeliveryStatus",
      CASE WHEN ${isEnabled(isMany)} THEN least(${p.at}, clock_timestamp()) END,
      CASE WHEN w.ordering = 'conversation' THEN e.conversation_id END,
      CASE WHEN w.ordering = 'conversation' AND e.conversation_id IS NOT NULL THEN (SELECT nextval('delivery_positions')) END,
      ${p.traceparent}, ${p.at}, ${p.at}
    FROM ${events}
    JOIN webhooks w ON w.tenant_id = ${p.tenantId} AND w.environment = ${p.environment} AND w.deleted_at IS NULL
      AND w.events && ARRAY['*', split_part(e.type, '.', 1) || '.*', e.type]
    WHERE ${where} AND ${passesFilter("w.filter", conversations)}
    RETURNING id, event_id
  )`;
};
