/**
 * How many matching chunks are ranked. A word that appears in more of them says little about any.
 */
const maximumRanked = 5_000;

/** PostgreSQL marks hits with these characters. No chunk contains them. */
export const hitStart = "\u0001";
export const hitEnd = "\u0002";

const headlineOptions = `StartSel=${hitStart}, StopSel=${hitEnd}, MaxFragments=2, MinWords=8, MaxWords=30, FragmentDelimiter=" … "`;

/**
 * $1 tenant id, $2 environment, $3 knowledge base, $4 the query, $5 limit. The knowledge base is
 * one of the indexed words (prisma/beyond-schema.sql), so the index reads only its chunks. Each
 * document is ranked by its best chunk.
 */
export const searchSql = `
  WITH query AS (SELECT websearch_to_tsquery('simple', $4::text) AS words),
  candidate AS MATERIALIZED (
    SELECT c.document_id, c.position, ts_rank_cd(c.search, query.words, 32) AS score
    FROM query, document_chunks c
    JOIN documents d ON d.tenant_id = c.tenant_id AND d.environment = c.environment AND d.id = c.document_id AND d.status = 'READY'
    WHERE numnode(query.words) > 0 AND c.search @@ (query.words && quote_literal($3::text)::tsquery)
      AND c.tenant_id = $1::text AND c.environment = $2::"Environment"
    LIMIT ${maximumRanked}
  ),
  best AS (
    SELECT * FROM (SELECT DISTINCT ON (document_id) * FROM candidate ORDER BY document_id, score DESC, position) AS of_document
    ORDER BY score DESC, document_id DESC LIMIT $5::int
  )
  SELECT d.id AS "documentId", d.name, ts_headline('simple', c.text, query.words, '${headlineOptions}') AS marked, best.score
  FROM query, best
  JOIN documents d ON d.tenant_id = $1::text AND d.environment = $2::"Environment" AND d.id = best.document_id
  JOIN document_chunks c ON c.tenant_id = $1::text AND c.environment = $2::"Environment"
    AND c.document_id = best.document_id AND c.position = best.position
  ORDER BY best.score DESC, d.id DESC`;

/** Locks a document's row until the transaction ends. */
export const lockDocumentSql = `
  SELECT 1 FROM documents WHERE tenant_id = $1::text AND environment = $2::"Environment" AND id = $3::text FOR UPDATE`;
