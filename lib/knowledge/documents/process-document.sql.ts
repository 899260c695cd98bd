import { isNotMoving } from "@/lib/platform/moving-tenants";
import { type References, sql, timeOf } from "@/lib/platform/sql";

/**
 * Longer than downloading and reading a file may take together, and extended with every batch of chunks. A process that
 * loses its lease has crashed, or is so slow that another one should take over.
 */
export const leaseSeconds = 120;

const claimParameters = { now: "clock", leaseHolder: "text" } as const;
const oneDocument = { tenantId: "text", environment: "Environment", id: "text" } as const;

/** @param due the document to take, at most one row */
function claim(p: References<typeof claimParameters>, due: string): string {
  const now = timeOf(p.now);
  return `
  WITH due AS MATERIALIZED (SELECT tenant_id, environment, id, status FROM documents ${due}),
  claimed AS (
    UPDATE documents d
    SET status = 'PROCESSING', lease_holder = ${p.leaseHolder}, lease_expires_at = ${now} + interval '${leaseSeconds} seconds',
      started_at = coalesce(d.started_at, ${now}), updated_at = ${now}
    FROM due WHERE d.tenant_id = due.tenant_id AND d.environment = due.environment AND d.id = due.id
    RETURNING d.tenant_id, d.environment, d.id, d.knowledge_base_id, d.blob_key, d.content_type, d.size_bytes, d.sha256, due.status AS was
  ),
  counted AS (
    UPDATE knowledge_bases b SET pending_count = b.pending_count - 1, processing_count = b.processing_count + 1 FROM claimed c
    WHERE c.was = 'PENDING' AND b.tenant_id = c.tenant_id AND b.environment = c.environment AND b.id = c.knowledge_base_id
  )
  SELECT tenant_id AS "tenantId", environment, id, blob_key AS "blobKey", content_type AS "contentType",
    size_bytes AS "sizeBytes", sha256 FROM claimed`;
}

/** A document whose processing another process started and abandoned. */
export const claimAbandonedStatement = sql("claim_abandoned_document", claimParameters, (p) =>
  claim(
    p,
    `WHERE status = 'PROCESSING' AND lease_expires_at <= ${timeOf(p.now)} AND ${isNotMoving("tenant_id")}
    ORDER BY lease_expires_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
  ),
);

/**
 * The oldest document of the next environment in the round-robin scan, if it has waited for this
 * many seconds. Without a wait, it does not matter that it is stamped by another process's clock.
 */
export const claimNextStatement = sql(
  "claim_next_document",
  {
    ...claimParameters,
    afterTenantId: "text",
    afterEnvironment: "Environment",
    overdueSeconds: "float8",
  },
  (p) =>
    claim(
      p,
      `WHERE status = 'PENDING' AND (tenant_id, environment) > (${p.afterTenantId}, ${p.afterEnvironment})
      AND (${p.overdueSeconds} = 0 OR updated_at <= ${timeOf(p.now)} - make_interval(secs => ${p.overdueSeconds})) AND ${isNotMoving("tenant_id")}
    ORDER BY tenant_id, environment, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    ),
);

export const claimOneStatement = sql(
  "claim_one_document",
  { ...claimParameters, ...oneDocument },
  (p) =>
    claim(
      p,
      `WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}
      AND (status = 'PENDING' OR status = 'PROCESSING' AND lease_expires_at <= ${timeOf(p.now)})
    FOR UPDATE SKIP LOCKED`,
    ),
);

const holderParameters = { ...claimParameters, ...oneDocument } as const;

type HolderReferences = References<typeof holderParameters>;

const isHeld = (p: HolderReferences) =>
  `tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id} AND lease_holder = ${p.leaseHolder} AND status = 'PROCESSING'`;

/** Only the holder of the lease may write. */
const held = (p: HolderReferences) => `
  WITH held AS (
    UPDATE documents SET lease_expires_at = ${timeOf(p.now)} + interval '${leaseSeconds} seconds'
    WHERE ${isHeld(p)}
    RETURNING tenant_id, environment, id, knowledge_base_id, first_position, first_position + coalesce(chunk_count, 0) AS next_position
  )`;

/**
 * Chunks that an earlier holder wrote before it lost the lease, but not those that a search finds.
 * Returns a row while it is held.
 */
export const clearChunksStatement = sql(
  "clear_document_chunks",
  holderParameters,
  (p) => `${held(p)},
  cleared AS (
    DELETE FROM document_chunks c USING held WHERE c.tenant_id = held.tenant_id AND c.environment = held.environment AND c.document_id = held.id
      AND NOT (c.position >= held.first_position AND c.position < held.next_position)
  )
  SELECT id FROM held`,
);

/** Adds chunks after those that a search finds. Returns a row while the lease is held. */
export const insertChunksStatement = sql(
  "insert_document_chunks",
  { ...holderParameters, firstPosition: "int", texts: "text[]" },
  (p) => `${held(p)},
  inserted AS (
    INSERT INTO document_chunks (tenant_id, environment, document_id, position, knowledge_base_id, language, text)
    SELECT held.tenant_id, held.environment, held.id, held.next_position + ${p.firstPosition} + chunk.ordinality - 1, base.id, base.language, chunk.text
    FROM held
    JOIN knowledge_bases base ON base.tenant_id = held.tenant_id AND base.environment = held.environment AND base.id = held.knowledge_base_id
    CROSS JOIN unnest(${p.texts}) WITH ORDINALITY AS chunk (text, ordinality)
  )
  SELECT id FROM held`,
);

/**
 * The new chunks become those that a search finds, and the earlier ones are deleted. Returns a row
 * if the lease is held. One statement reads a row as it was, so it deletes by the earlier range.
 */
export const publishChunksStatement = sql(
  "publish_document_chunks",
  { ...holderParameters, chunkCount: "int", characterCount: "int" },
  (p) => `
  WITH earlier AS (
    SELECT id, first_position, first_position + coalesce(chunk_count, 0) AS next_position FROM documents WHERE ${isHeld(p)} FOR UPDATE
  ),
  published AS (
    UPDATE documents d SET status = 'READY', first_position = earlier.next_position, chunk_count = ${p.chunkCount},
      character_count = ${p.characterCount}, lease_holder = NULL, lease_expires_at = NULL, updated_at = ${timeOf(p.now)}
    FROM earlier WHERE d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = earlier.id
    RETURNING d.id
  ),
  replaced AS (
    DELETE FROM document_chunks c USING earlier
    WHERE c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment} AND c.document_id = earlier.id AND c.position < earlier.next_position
  )
  SELECT id FROM published`,
);

/** Ends the lease after a delay. */
export const releaseStatement = sql(
  "release_document",
  { ...holderParameters, delaySeconds: "float8" },
  (p) => `
  UPDATE documents SET lease_expires_at = ${timeOf(p.now)} + make_interval(secs => ${p.delaySeconds})
  WHERE ${isHeld(p)}`,
);

export const releaseAllStatement = sql(
  "release_documents",
  {},
  () => `
  UPDATE documents SET lease_expires_at = clock_timestamp() WHERE status = 'PROCESSING' AND lease_expires_at > clock_timestamp() RETURNING 1`,
);

/**
 * Documents that have been processing for this many seconds, and since when. A replaced document
 * starts again, with another time.
 */
export const findStuckDocumentsStatement = sql(
  "stuck_documents",
  { now: "clock", stuckSeconds: "float8", except: "text[]", limit: "int" },
  (p) => `
  SELECT tenant_id AS "tenantId", environment, id, started_at AS "startedAt" FROM documents
  WHERE status = 'PROCESSING' AND started_at <= ${timeOf(p.now)} - make_interval(secs => ${p.stuckSeconds})
    AND id <> ALL (${p.except}) AND ${isNotMoving("tenant_id")}
  LIMIT ${p.limit}`,
);
