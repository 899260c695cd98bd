import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, isInOrder, sql, timeOf } from "@/lib/platform/sql";

/** The maximum number of environments that a lookup skips because other workers hold them. */
const maximumSteps = 100;

/** Whether a deletion can be worked off. Those of messages and files clear the request log. */
const isDue = (alias: string, now: string, logDelaySeconds: string) =>
  `${alias}.finished_at IS NULL AND ((${alias}.id NOT LIKE 'msg%' AND ${alias}.id NOT LIKE 'fil%') OR ${alias}.deleted_at <= ${now} - make_interval(secs => ${logDelaySeconds}))`;

/**
 * The oldest deletion, held by no other worker, of the next environment after the given one.
 * Environments take turns, so that one with a million deletions does not delay another's only one.
 * Each step from one environment to the next is one index lookup, and the first with a deletion ends
 * the scan.
 */
export const nextDeletionStatement = sql(
  "next_deletion",
  {
    now: "clock",
    logDelaySeconds: "float8",
    afterTenantId: "text",
    afterEnvironment: "Environment",
    except: "text[]",
  },
  (p) => {
    const isNext = `${isDue("d", timeOf(p.now), p.logDelaySeconds)} AND d.id <> ALL (${p.except})`;
    const following = (after: string) => `
      SELECT d.tenant_id, d.environment FROM deletions d
      WHERE ${isNext} AND (d.tenant_id, d.environment) > (${after}) AND ${isNotMoving("d.tenant_id")}
      ORDER BY d.tenant_id, d.environment LIMIT 1`;
    return `
  WITH RECURSIVE turn AS (
    (SELECT n.*, 1 AS step FROM (${following(`${p.afterTenantId}, ${p.afterEnvironment}`)}) n)
    UNION ALL
    SELECT n.*, t.step + 1 FROM turn t CROSS JOIN LATERAL (${following("t.tenant_id, t.environment")}) n WHERE t.step < ${maximumSteps}
  )
  SELECT d.tenant_id AS "tenantId", d.environment, d.id, d.after_id AS "afterId", d.deleted_at AS "deletedAt",
    d.conversation_id AS "conversationId", d.posted_at AS "postedAt", d.idempotency_keys AS "idempotencyKeys"
  FROM turn t CROSS JOIN LATERAL (
    SELECT * FROM deletions d WHERE d.tenant_id = t.tenant_id AND d.environment = t.environment AND ${isNext}
    ORDER BY d.deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ) AS d
  LIMIT 1`;
  },
);

const target = { tenantId: "text", environment: "Environment", id: "text" } as const;
const batch = { ...target, limit: "int" } as const;

type Target = { tenantId: string; environment: string; id: string };

const within = (alias: string, p: Target) =>
  `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = ${p.environment}`;

/**
 * Nothing else refers to a message of a deleted conversation, so nothing waits for its lock. The files
 * are noted if the conversation had a customer, so that an erasure finds their uploads.
 */
export const deleteMessagesStatement = sql(
  "delete_messages",
  batch,
  (p) => `
  WITH doomed AS MATERIALIZED (
    SELECT m.id FROM messages m WHERE ${within("m", p)} AND m.conversation_id = ${p.id} ORDER BY m.sequence LIMIT ${p.limit} FOR UPDATE
  ),
  noted AS (
    INSERT INTO deletions (tenant_id, environment, id, customer_id, finished_at)
    SELECT d.tenant_id, d.environment, f.id, d.customer_id, now() FROM deletions d
    CROSS JOIN ${fewRowsOf("doomed")} AS doomed
    CROSS JOIN LATERAL (SELECT f.id FROM files f WHERE ${within("f", p)} AND f.message_id = doomed.id OFFSET 0) AS f
    WHERE ${within("d", p)} AND d.id = ${p.id} AND d.customer_id IS NOT NULL
  )
  DELETE FROM messages m USING ${fewRowsOf("doomed")} AS doomed WHERE ${within("m", p)} AND m.id = doomed.id
  RETURNING 1 AS deleted`,
);

/** The chunks of a deleted knowledge base, of one document after another. */
export const deleteChunksStatement = sql(
  "delete_chunks",
  batch,
  (p) => `
  WITH doomed AS MATERIALIZED (
    SELECT c.document_id, c.position FROM (
      SELECT d.id FROM documents d WHERE ${within("d", p)} AND ${isInOrder("d.knowledge_base_id", p.id)} ORDER BY d.knowledge_base_id, d.id LIMIT 1
    ) AS d
    CROSS JOIN LATERAL (
      SELECT c.document_id, c.position FROM document_chunks c WHERE ${within("c", p)} AND c.document_id = d.id LIMIT ${p.limit} FOR UPDATE
    ) AS c
  )
  DELETE FROM document_chunks c USING ${fewRowsOf("doomed")} AS doomed
  WHERE ${within("c", p)} AND c.document_id = doomed.document_id AND c.position = doomed.position
  RETURNING 1 AS deleted`,
);

/** Its first document, whose chunks are deleted. */
export const deleteDocumentStatement = sql(
  "delete_document_of_deleted_base",
  target,
  (p) => `
  DELETE FROM documents d WHERE ${within("d", p)} AND d.id = (
    SELECT d.id FROM documents d WHERE ${within("d", p)} AND ${isInOrder("d.knowledge_base_id", p.id)} ORDER BY d.knowledge_base_id, d.id LIMIT 1 FOR UPDATE
  )
  RETURNING d.blob_key AS file`,
);

/** A document that is being uploaded refers to the row, which is therefore locked first. */
export const lockKnowledgeBaseStatement = sql(
  "lock_deleted_knowledge_base",
  target,
  (p) =>
    `SELECT 1 FROM knowledge_bases b WHERE ${within("b", p)} AND b.id = ${p.id} AND b.deleted_at IS NOT NULL FOR UPDATE`,
);

/** The requests between two ids that responded with this resource. */
export const requestsReturningStatement = sql(
  "requests_returning",
  { ...target, afterId: "text", beforeId: "text" },
  (p) => `
  SELECT l.id FROM request_logs l
  WHERE ${within("l", p)} AND l.id > ${p.afterId} AND l.id < ${p.beforeId}
    AND l.method = 'POST' AND starts_with(l.response_body, '{"id":"' || ${p.id} || '"')`,
);

export const continueDeletionStatement = sql(
  "continue_deletion",
  { ...target, afterId: "text" },
  (p) =>
    `UPDATE deletions d SET after_id = ${p.afterId} WHERE ${within("d", p)} AND d.id = ${p.id}`,
);

/**
 * Requests, and those that repeated them with their idempotency keys. The log of the first one can
 * have been lost in a crash, so the caller names its key, if it knows it. A stored response from
 * long after the request is that of another one, which uses the key again.
 */
export const clearLogsStatement = sql(
  "clear_request_logs",
  {
    tenantId: "text",
    environment: "Environment",
    requestIds: "text[]",
    keys: "text?[]",
    times: "timestamptz[]",
  },
  (p) => {
    const isWithin = (alias: string) =>
      `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = ${p.environment}`;
    return `
  WITH request AS MATERIALIZED (
    SELECT l.id, l.idempotency_key AS key, l.created_at FROM unnest(${p.requestIds}) AS r (id)
    CROSS JOIN LATERAL (SELECT * FROM request_logs l WHERE ${isWithin("l")} AND l.id = r.id OFFSET 0) AS l
    UNION ALL
    SELECT r.id, r.key, r.created_at FROM unnest(${p.requestIds}, ${p.keys}, ${p.times}) AS r (id, key, created_at)
  ),
  log AS (
    UPDATE request_logs l SET request_body = NULL, response_body = NULL
    WHERE ${isWithin("l")} AND l.id = ANY (ARRAY(
      SELECT id FROM request UNION ALL
      SELECT again.id FROM request r CROSS JOIN LATERAL (
        SELECT l.id FROM request_logs l WHERE ${isWithin("l")} AND l.idempotency_key = r.key OFFSET 0
      ) AS again WHERE r.key IS NOT NULL
    ))
  )
  UPDATE idempotency_records i SET status = 410, body = '', is_encrypted = false
  WHERE ${isWithin("i")} AND i.key = ANY (ARRAY(SELECT key FROM request))
    AND EXISTS (SELECT 1 FROM request r WHERE r.key = i.key AND i.created_at < r.created_at + interval '5 minutes')`;
  },
);

export const finishDeletionStatement = sql(
  "finish_deletion",
  { ...target, now: "clock" },
  (p) => `
  UPDATE deletions d SET finished_at = ${timeOf(p.now)}, idempotency_keys = '{}' WHERE ${within("d", p)} AND d.id = ${p.id}`,
);
