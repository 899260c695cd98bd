import { sql } from "@/lib/platform/sql";

/**
 * The maximum number of matching chunks that are ranked. A word that occurs in more chunks says
 * little about any of them.
 */
const maximumRanked = 5_000;

/** The characters that PostgreSQL puts around a hit. No chunk contains them. */
export const hitStart = "\u0001";
export const hitEnd = "\u0002";

const headlineOptions = `StartSel=${hitStart}, StopSel=${hitEnd}, MaxFragments=2, MinWords=8, MaxWords=30, FragmentDelimiter=" … "`;

/**
 * The knowledge base is one of the words of the search (prisma/beyond-schema.sql), so the index
 * reads no other base's chunks. A document is ranked by its best matching chunk.
 */
export const searchStatement = sql(
  "search_documents",
  {
    tenantId: "text",
    environment: "Environment",
    knowledgeBaseId: "text",
    query: "text",
    limit: "int",
  },
  (p) => `
  WITH query AS (SELECT websearch_to_tsquery('simple', ${p.query}) AS words),
  candidate AS MATERIALIZED (
    SELECT c.document_id, c.position, ts_rank_cd(c.search, query.words, 32) AS score
    FROM query, document_chunks c
    JOIN documents d ON d.tenant_id = c.tenant_id AND d.environment = c.environment AND d.id = c.document_id AND d.status = 'READY'
    WHERE numnode(query.words) > 0 AND c.search @@ (query.words && quote_literal(${p.knowledgeBaseId})::tsquery)
      AND c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment}
    LIMIT ${maximumRanked}
  ),
  best AS (
    SELECT * FROM (SELECT DISTINCT ON (document_id) * FROM candidate ORDER BY document_id, score DESC, position) AS of_document
    ORDER BY score DESC, document_id DESC LIMIT ${p.limit}
  )
  SELECT d.id AS "documentId", d.name, ts_headline('simple', c.text, query.words, '${headlineOptions}') AS marked, best.score
  FROM query, best
  JOIN documents d ON d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = best.document_id
  JOIN document_chunks c ON c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment}
    AND c.document_id = best.document_id AND c.position = best.position
  ORDER BY best.score DESC, d.id DESC`,
);
