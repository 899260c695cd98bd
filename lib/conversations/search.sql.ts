import type { Partition } from "@/lib/platform/caller";
import type { Term } from "@/lib/platform/search-text";
import { bindings, type Query } from "@/lib/platform/sql";
import {
  type Bind,
  bindFilters,
  bindPartition,
  conversationFields,
  type Filters,
} from "./service.sql";

/** What to find. `phone` is the query's digits, if it may be a phone number. */
export type Wanted = { terms: Term[]; phone: string | null };

/**
 * The words of a segment in the index (prisma/beyond-schema.sql). Must equal the expression of
 * search_entries_words_idx, or PostgreSQL does not use the index.
 */
const indexed = `array_to_tsvector(string_to_array(substr(replace(replace(e.header, ' |', '') || e.text, ' ', ' ' || e.segment_id || '|'), 2), ' '))`;

/** All words of an entry, each between two spaces. */
const words = "(e.header || e.text || ' ')";

const segmentMark = "#";

/** The query for the index; `#` becomes the segment's number. Words are letters and digits only. */
function indexQuery({ terms, phone }: Wanted): string {
  const all = terms
    .flatMap(({ words: parts, isPrefix }) =>
      parts.map((word, index) => {
        const lexeme = `'${segmentMark}|${word}'`;
        return isPrefix && index === parts.length - 1 ? `${lexeme}:*` : lexeme;
      }),
    )
    .join(" & ");
  return phone ? `${all} | '${segmentMark}|${phone}':*` : all;
}

const pattern = (parts: string[], isPrefix: boolean) =>
  `% ${parts.join(" ")}${isPrefix ? "" : " "}%`;

const like = (bind: Bind, where: string, parts: string[], isPrefix: boolean) =>
  `${where} LIKE ${bind("text", pattern(parts, isPrefix))}`;

/** Whether an entry has all terms, without the index. */
function hasTerms(bind: Bind, { terms, phone }: Wanted, skips: (term: Term) => boolean): string {
  const conditions = terms
    .filter((term) => !skips(term))
    .map((term) => like(bind, words, term.words, term.isPrefix));
  const all = conditions.length > 0 ? conditions.join(" AND ") : "true";
  return phone ? `(${all} OR ${like(bind, words, [phone], true)})` : `(${all})`;
}

/** A whole number from 0 to 1,000. A new message can only raise that of its conversation. */
function scoreOf(bind: Bind, { terms }: Wanted): string {
  const count = (where: string, isPrefix: (term: Term) => boolean) =>
    terms.map((term) => `(${like(bind, where, term.words, isPrefix(term))})::int`).join(" + ");
  const whole = count(words, () => false);
  const inHeader = count("(e.header || ' ')", ({ isPrefix }) => isPrefix);
  const together = like(
    bind,
    words,
    terms.flatMap((term) => term.words),
    terms.at(-1)?.isPrefix ?? false,
  );
  return `(400 * (${whole}) + 300 * (${inHeader})) / ${terms.length} + CASE WHEN ${together} THEN 300 ELSE 0 END`;
}

export type SearchPage = {
  isRanked: boolean;
  /** Only conversations up to this one; for a ranked page that continues another. */
  newestId?: string | undefined;
  /** Only conversations after this one. */
  after?: { id: string; score?: number | undefined } | undefined;
  rows: number;
};

export type FoundRow = { id: string; score: number; newestId: string };

/** The maximum number of matching conversations that are ranked. */
const maximumRanked = 1_000;

/**
 * The ids of a page, with their scores.
 *
 * PostgreSQL's index of words has no order, so conversations are divided into segments by their
 * ids, and the entries of each segment have words of their own in the index. The segments are read
 * from the newest, and reading stops when the page is full, so that a word in every message costs
 * no more than a rare one. `LATERAL` makes the join a nested loop in the order of the segments, and
 * `OFFSET 0` keeps the planner from taking the subqueries apart.
 *
 * @param among reads these conversations, newest first, instead of the index: the filters match few
 */
export function searchStatement(
  partition: Partition,
  wanted: Wanted,
  filters: Filters,
  { isRanked, newestId, after, rows }: SearchPage,
  among: string[] | null,
): Query {
  const { bind, values } = bindings();
  const within = bindPartition(bind, partition);
  /** The ids of a page that continues another, or those of the segments that have such ids. */
  const until = newestId && `<= ${bind("text", newestId)}`;
  const before = !isRanked && after && `< ${bind("text", after.id)}`;
  const isWithin = [until, before].map((bound) => (bound ? `AND id ${bound}` : "")).join(" ");
  const isSegmentWithin = [until, before]
    .map((bound) => (bound ? `AND after_id ${bound}` : ""))
    .join(" ");
  const score = `max(${scoreOf(bind, wanted)})`;

  const inSegments = () => `
    SELECT found.id, found.score FROM (
      SELECT id AS segment_id FROM search_segments
      WHERE ${within.partition} ${isSegmentWithin}
      ORDER BY after_id DESC OFFSET 0
    ) AS segment
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT e.conversation_id AS id, ${score} AS score FROM search_entries e
        WHERE ${indexed} @@ replace(${bind("text", indexQuery(wanted))}, '${segmentMark}', segment.segment_id::text)::tsquery
          AND ${hasTerms(bind, wanted, ({ words: parts }) => parts.length === 1)}
        GROUP BY e.conversation_id
      ) AS grouped WHERE true ${isWithin} ORDER BY id DESC OFFSET 0
    ) AS found
    CROSS JOIN LATERAL (
      SELECT 1 FROM conversations WHERE ${bindFilters(bind, within, filters)} AND id = found.id OFFSET 0
    ) AS matching`;
  const inConversations = (ids: string[]) => `
    SELECT found.id, found.score FROM (
      SELECT id FROM unnest(${bind("text[]", ids)}) AS wanted (id) WHERE true ${isWithin} ORDER BY id DESC OFFSET 0
    ) AS candidate
    CROSS JOIN LATERAL (
      SELECT candidate.id, ${score} AS score FROM search_entries e
      WHERE e.tenant_id = ${within.tenantId} AND e.environment = ${within.environment} AND e.conversation_id = candidate.id
        AND ${hasTerms(bind, wanted, () => false)}
    ) AS found
    WHERE found.score IS NOT NULL`;

  const matches = among ? inConversations(among) : inSegments();
  if (!isRanked)
    return {
      text: `SELECT id, score, id AS "newestId" FROM (${matches} LIMIT ${rows}) AS page`,
      values,
    };
  const beyond = after
    ? `WHERE (score, id) < (${bind("int", after.score ?? 0)}, ${bind("text", after.id)})`
    : "";
  return {
    text: `
    WITH match AS MATERIALIZED (${matches} LIMIT ${maximumRanked})
    SELECT id, score, (SELECT max(id) FROM match) AS "newestId" FROM match
    ${beyond} ORDER BY score DESC, id DESC LIMIT ${rows}`,
    values,
  };
}

/** Conversations that the filters match, in any order, up to `limit`. */
export function filteredStatement(partition: Partition, filters: Filters, limit: number): Query {
  const { bind, values } = bindings();
  const where = bindFilters(bind, bindPartition(bind, partition), filters);
  return { text: `SELECT id FROM conversations WHERE ${where} LIMIT ${limit}`, values };
}

export type MatchingMessage = { conversationId: string; id: string; text: string };

const messagesOfEach = 3;

/** The best matching messages of each of the conversations. */
export function matchingMessagesStatement(
  partition: Partition,
  wanted: Wanted,
  ids: string[],
): Query {
  const { bind, values } = bindings();
  const { tenantId, environment } = bindPartition(bind, partition);
  const own = (alias: string) =>
    `${alias}.tenant_id = ${tenantId} AND ${alias}.environment = ${environment}`;
  const text = `
    SELECT m.conversation_id AS "conversationId", m.id, m.text FROM unnest(${bind("text[]", ids)}) AS found (id)
    CROSS JOIN LATERAL (
      SELECT e.message_id, ${scoreOf(bind, wanted)} AS score FROM search_entries e
      WHERE ${own("e")} AND e.conversation_id = found.id AND e.message_id <> '' AND ${hasTerms(bind, wanted, () => false)}
      ORDER BY score DESC, e.message_id DESC LIMIT ${messagesOfEach}
    ) AS best
    JOIN messages m ON ${own("m")} AND m.id = best.message_id
    ORDER BY best.score DESC, m.id DESC`;
  return { text, values };
}

/** The conversations of a page, as the API returns them. */
export function foundConversationsStatement(partition: Partition, ids: string[]): Query {
  const { bind, values } = bindings();
  const { partition: own } = bindPartition(bind, partition);
  return {
    text: `SELECT ${conversationFields} FROM conversations WHERE ${own} AND id = ANY (${bind("text[]", ids)})`,
    values,
  };
}
