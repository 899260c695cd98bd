import { sql } from "@/lib/platform/sql";

/**
 * The maximum number of matching chunks that are ranked. A word that occurs in more chunks says
 * little about any of them.
 */
const maximumRanked = 5_000;

/**
 * The document of a chunk `c` that a search finds: not one of a file that is still being read or has
 * failed, which a document has next to those of the file that it replaces.
 */
const searchable = `documents d ON d.tenant_id = c.tenant_id AND d.environment = c.environment AND d.id = c.document_id
        AND c.position >= d.first_position AND c.position < d.first_position + d.chunk_count`;

/** The characters that PostgreSQL puts around a hit. No chunk contains them. */
export const hitStart = "\u0001";
export const hitEnd = "\u0002";

const hits = `StartSel=${hitStart}, StopSel=${hitEnd}`;
const headlineOptions = `${hits}, MaxFragments=2, MinWords=8, MaxWords=30, FragmentDelimiter=" … "`;

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
  WITH query AS (
    SELECT search_config(language) AS config, websearch_to_tsquery(search_config(language), ${p.query}) AS words FROM knowledge_bases
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.knowledgeBaseId}
  ),
  candidate AS MATERIALIZED (
    SELECT c.document_id, c.position, ts_rank_cd(c.search, query.words, 32) AS score
    FROM query, document_chunks c
    JOIN ${searchable}
    WHERE numnode(query.words) > 0 AND c.search @@ (query.words && quote_literal(${p.knowledgeBaseId})::tsquery)
      AND c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment}
    LIMIT ${maximumRanked}
  ),
  best AS (
    SELECT * FROM (SELECT DISTINCT ON (document_id) * FROM candidate ORDER BY document_id, score DESC, position) AS of_document
    ORDER BY score DESC, document_id DESC LIMIT ${p.limit}
  )
  SELECT d.id AS "documentId", d.name, ts_headline(query.config, c.text, query.words, '${headlineOptions}') AS marked, best.score
  FROM query, best
  JOIN documents d ON d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = best.document_id
  JOIN document_chunks c ON c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment}
    AND c.document_id = best.document_id AND c.position = best.position
  ORDER BY best.score DESC, d.id DESC`,
);

/**
 * The same in several knowledge bases: the best chunks, whole, of which a document may have several,
 * and those next to them. Bases of one language are searched together. A word must match in the
 * form that it has in the language of the base.
 */
export const searchBasesStatement = sql(
  "search_knowledge",
  {
    tenantId: "text",
    environment: "Environment",
    knowledgeBaseIds: "text[]",
    wanted: "text",
    unwanted: "text",
    neighbors: "int",
    limit: "int",
  },
  (p) => {
    const texts = (condition: string) => `ARRAY(
      SELECT n.text FROM document_chunks n
      WHERE n.tenant_id = ${p.tenantId} AND n.environment = ${p.environment} AND n.document_id = c.document_id AND n.position >= d.first_position AND n.position < d.first_position + d.chunk_count AND ${condition} ORDER BY n.position
    )`;
    return `
  WITH query AS MATERIALIZED (
    SELECT config, bases, websearch_to_tsquery(config, ${p.wanted}) && websearch_to_tsquery(config, ${p.unwanted}) AS words
    FROM (
      SELECT search_config(language) AS config, string_agg(quote_literal(id), ' | ')::tsquery AS bases FROM knowledge_bases
      WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ANY (${p.knowledgeBaseIds})
      GROUP BY language
    ) AS of_language
  ),
  best AS MATERIALIZED (
    SELECT candidate.*, query.config, query.words FROM query CROSS JOIN LATERAL (
      SELECT c.document_id, c.position, ts_rank_cd(c.search, query.words, 32) AS score
      FROM document_chunks c
      JOIN ${searchable}
      WHERE numnode(query.words) > 0 AND c.search @@ (query.words && query.bases)
        AND c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment}
      LIMIT ${maximumRanked}
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${p.limit}
  )
  SELECT d.knowledge_base_id AS "knowledgeBaseId", d.id AS "documentId", d.name, c.position - d.first_position AS position,
    ts_headline(best.config, c.text, best.words, '${hits}, HighlightAll=true') AS marked,
    ${texts(`n.position >= c.position - ${p.neighbors} AND n.position < c.position`)} AS before,
    ${texts(`n.position > c.position AND n.position <= c.position + ${p.neighbors}`)} AS after,
    best.score
  FROM best
  JOIN documents d ON d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = best.document_id
  JOIN document_chunks c ON c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment}
    AND c.document_id = best.document_id AND c.position = best.position
  ORDER BY best.score DESC, d.id DESC, c.position`;
  },
);
