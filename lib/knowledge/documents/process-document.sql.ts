import type { Statement } from "@/lib/platform/db";

/**
 * Longer than reading a file may take, and extended with every batch of chunks. A process that
 * loses its lease has crashed, or is so slow that another one should take over.
 */
export const leaseSeconds = 120;

const now = (parameter: string) => `coalesce(${parameter}::timestamptz, clock_timestamp())`;

/** $1 now, $2 lease holder; `due` is the document to take, and has at most one row. */
const claim = (due: string) => `
  WITH due AS MATERIALIZED (${due}),
  claimed AS (
    UPDATE documents d
    SET status = 'PROCESSING', lease_holder = $2::text, lease_expires_at = ${now("$1")} + interval '${leaseSeconds} seconds',
      started_at = coalesce(d.started_at, ${now("$1")}), updated_at = ${now("$1")}
    FROM due WHERE d.tenant_id = due.tenant_id AND d.environment = due.environment AND d.id = due.id
    RETURNING d.tenant_id, d.environment, d.id, d.knowledge_base_id, d.blob_key, d.content_type, due.status AS was
  ),
  counted AS (
    UPDATE knowledge_bases b SET pending_count = b.pending_count - 1, processing_count = b.processing_count + 1 FROM claimed c
    WHERE c.was = 'PENDING' AND b.tenant_id = c.tenant_id AND b.environment = c.environment AND b.id = c.knowledge_base_id
  )
  SELECT tenant_id AS "tenantId", environment, id, blob_key AS "blobKey", content_type AS "contentType" FROM claimed`;

const key = "SELECT tenant_id, environment, id, status FROM documents";

/** A document whose process started it and then disappeared. */
export const claimAbandonedStatement: Statement = {
  name: "claim_abandoned_document",
  text: claim(`${key}
    WHERE status = 'PROCESSING' AND lease_expires_at <= ${now("$1")} ORDER BY lease_expires_at LIMIT 1 FOR UPDATE SKIP LOCKED`),
};

/**
 * $3, $4: the partition that the round-robin scan served last; $5: only documents that have waited
 * this many seconds. Claims the oldest document of the next partition.
 */
export const claimNextStatement: Statement = {
  name: "claim_next_document",
  text: claim(`${key}
    WHERE status = 'PENDING' AND (tenant_id, environment) > ($3::text, $4::"Environment")
      AND updated_at <= ${now("$1")} - make_interval(secs => $5::float8)
    ORDER BY tenant_id, environment, id LIMIT 1 FOR UPDATE SKIP LOCKED`),
};

/** $3 tenant id, $4 environment, $5 document. */
export const claimOneStatement: Statement = {
  name: "claim_one_document",
  text: claim(`${key}
    WHERE tenant_id = $3::text AND environment = $4::"Environment" AND id = $5::text
      AND (status = 'PENDING' OR status = 'PROCESSING' AND lease_expires_at <= ${now("$1")})
    FOR UPDATE SKIP LOCKED`),
};

/**
 * Only the lease holder may write. $1 now, $2 lease holder, $3 tenant id, $4 environment, $5
 * document.
 */
const held = `
  WITH held AS (
    UPDATE documents SET lease_expires_at = ${now("$1")} + interval '${leaseSeconds} seconds'
    WHERE tenant_id = $3::text AND environment = $4::"Environment" AND id = $5::text AND lease_holder = $2::text AND status = 'PROCESSING'
    RETURNING tenant_id, environment, id, knowledge_base_id
  )`;

/**
 * Deletes what an earlier holder wrote before it lost the lease. @returns a row while the lease is
 * held
 */
export const clearChunksStatement: Statement = {
  name: "clear_document_chunks",
  text: `${held},
  cleared AS (
    DELETE FROM document_chunks c USING held WHERE c.tenant_id = held.tenant_id AND c.environment = held.environment AND c.document_id = held.id
  )
  SELECT id FROM held`,
};

/** $6 the first chunk's position, $7 texts. @returns a row while the lease is held */
export const insertChunksStatement: Statement = {
  name: "insert_document_chunks",
  text: `${held},
  inserted AS (
    INSERT INTO document_chunks (tenant_id, environment, document_id, position, knowledge_base_id, text)
    SELECT held.tenant_id, held.environment, held.id, $6::int + chunk.ordinality - 1, held.knowledge_base_id, chunk.text
    FROM held, unnest($7::text[]) WITH ORDINALITY AS chunk (text, ordinality)
  )
  SELECT id FROM held`,
};

/** Makes a document claimable again after $6 seconds. */
export const releaseStatement: Statement = {
  name: "release_document",
  text: `
  UPDATE documents SET lease_expires_at = ${now("$1")} + make_interval(secs => $6::float8)
  WHERE tenant_id = $3::text AND environment = $4::"Environment" AND id = $5::text AND lease_holder = $2::text AND status = 'PROCESSING'`,
};

export const releaseAllStatement: Statement = {
  name: "release_documents",
  text: `
  UPDATE documents SET lease_expires_at = clock_timestamp() WHERE status = 'PROCESSING' AND lease_expires_at > clock_timestamp() RETURNING 1`,
};

/** $1 now, $2 for how many seconds they have been processed, $3 limit. */
export const stuckStatement: Statement = {
  name: "stuck_documents",
  text: `
  SELECT tenant_id AS "tenantId", environment, id FROM documents
  WHERE status = 'PROCESSING' AND started_at <= ${now("$1")} - make_interval(secs => $2::float8) LIMIT $3::int`,
};
