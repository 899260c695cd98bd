import type { Partition } from "@/lib/platform/caller";
import type { Term } from "@/lib/platform/search-text";
import { bindings, type Query } from "@/lib/platform/sql";
import { type Bind, bindFilters, bindPartition, type Filters } from "./list.sql";
import { conversationFields } from "./service.sql";

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

/** `strpos` skips what cannot match, so it takes less time than LIKE. */
const has = (bind: Bind, where: string, parts: string[], isPrefix: boolean) =>
  `strpos(${where}, ${bind("text", ` ${parts.join(" ")}${isPrefix ? "" : " "}`)}) > 0`;

/** Whether an entry has all terms, without the index. */
function hasTerms(bind: Bind, { terms, phone }: Wanted, skips: (term: Term) => boolean): string {
  const conditions = terms
    .filter((term) => !skips(term))
    .map((term) => has(bind, words, term.words, term.isPrefix));
  const all = conditions.length > 0 ? conditions.join(" AND ") : "true";
  return phone ? `(${all} OR ${has(bind, words, [phone], true)})` : `(${all})`;
}

/** A whole number from 0 to 1,000. A new message can only raise that of its conversation. */
function scoreOf(bind: Bind, { terms }: Wanted): string {
  const count = (where: string, isPrefix: (term: Term) => boolean) =>
    terms.map((term) => `(${has(bind, where, term.words, isPrefix(term))})::int`).join(" + ");
  const whole = count(words, () => false);
  const inHeader = count("(e.header || ' ')", ({ isPrefix }) => isPrefix);
  const together = has(
    bind,
    words,
    terms.flatMap((term) => term.words),
    terms.at(-1)?.isPrefix ?? false,
  );
  return `(400 * (${whole}) + 300 * (${inHeader})) / ${terms.length} + CASE WHEN ${together} THEN 300 ELSE 0 END`;
}

/**
 * Names a statement of one or two words, so that connections keep its plan. Planning it takes longer
 * than looking up a rare word. Other queries are rarer and have many more texts, and each plan takes
 * 100 KB in each connection, so they are planned each time.
 */
const nameOf = (name: string, { terms }: Wanted): { name?: string } =>
  terms.length <= 2 && terms.every(({ words: parts }) => parts.length === 1) ? { name } : {};

export type SearchPage = {
  isRanked: boolean;
  /** Only conversations up to this one; for a ranked page that continues another. */
  newestId?: string | undefined;
  /** Only conversations after this one. */
  after?: { id: string; score?: number | undefined } | undefined;
  rows: number;
};

/**
 * A conversation of the page. Reading can stop before the page is full, because too few match the
 * filters: the last one that was read is then returned whether or not it matches.
 */
export type FoundRow = {
  id: string;
  score: number;
  isMatch: boolean;
  isStop: boolean;
  newestId: string;
};

/** The maximum number of matching conversations that are ranked. */
const maximumRanked = 250;

/** The maximum number of conversations with the words that a page compares with the filters. */
const maximumRead = 2_500;

/**
 * Which conversations the filters match: `every` of them if they are few, otherwise it is checked
 * for each one that has the words.
 */
export type Filtered = { filters: Filters; every: string[] | null };

/** With fewer conversations than this, their entries are read instead of the index. */
const fewConversations = 500;

/**
 * The ids of a page, with their scores.
 *
 * PostgreSQL's index of words has no order, so conversations are divided into segments by their
 * ids, and the entries of each segment have words of their own in the index. The segments are read
 * from the newest, and reading stops when the page is full, so that a word in every message costs
 * no more than a rare one. `LATERAL` makes the join a nested loop in the order of the segments, and
 * `OFFSET 0` keeps the planner from taking the subqueries apart. `DISTINCT ON` sorts what was found,
 * whereas `GROUP BY` would clear a hash table for each segment, which takes longer than looking up
 * a word that is not there.
 */
export function searchStatement(
  partition: Partition,
  wanted: Wanted,
  filtered: Filtered | null,
  { isRanked, newestId, after, rows }: SearchPage,
): Query {
  const { bind, values } = bindings();
  const within = bindPartition(bind, partition);
  const every = filtered?.every;
  /** The ids of a page that continues another, or those of the segments that have such ids. */
  const until = newestId && `<= ${bind("text", newestId)}`;
  const before = !isRanked && after && `< ${bind("text", after.id)}`;
  const isWithin = [until, before].map((bound) => (bound ? `AND id ${bound}` : "")).join(" ");

  const inSegments = () => {
    const isSegmentWithin = [until, before]
      .map((bound) => (bound ? `AND after_id ${bound}` : ""))
      .join(" ");
    // Older segments have none of these conversations.
    const oldest = every?.toSorted().at(0);
    const isRecent = oldest
      ? `AND after_id >= coalesce((SELECT max(after_id) FROM search_segments WHERE ${within.partition} AND after_id < ${bind("text", oldest)}), '')`
      : "";
    return `
    SELECT found.id FROM (
      SELECT id AS segment_id FROM search_segments
      WHERE ${within.partition} ${isSegmentWithin} ${isRecent} ORDER BY after_id DESC OFFSET 0
    ) AS segment
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT DISTINCT ON (e.conversation_id) e.conversation_id AS id FROM search_entries e
        WHERE ${indexed} @@ replace(${bind("text", indexQuery(wanted))}, '${segmentMark}', segment.segment_id::text)::tsquery
          AND ${hasTerms(bind, wanted, ({ words: parts }) => parts.length === 1)}
        ORDER BY e.conversation_id DESC
      ) AS distinct_ids WHERE true ${isWithin} ORDER BY id DESC OFFSET 0
    ) AS found`;
  };
  const inConversations = (ids: string[]) => `
    SELECT found.id FROM (
      SELECT id FROM unnest(${bind("text[]", ids)}) AS wanted (id) WHERE true ${isWithin} ORDER BY id DESC OFFSET 0
    ) AS candidate
    CROSS JOIN LATERAL (
      SELECT candidate.id FROM search_entries e
      WHERE e.tenant_id = ${within.tenantId} AND e.environment = ${within.environment} AND e.conversation_id = candidate.id
        AND ${hasTerms(bind, wanted, () => false)}
      LIMIT 1
    ) AS found`;

  const isNamed = !filtered && !newestId && !after;
  const name = isNamed ? nameOf("search_conversations", wanted) : {};
  const count = isRanked ? maximumRanked : rows;
  let matches: string;
  if (!filtered)
    matches = `SELECT id, true AS is_match, false AS is_stop FROM (${inSegments()}) AS found`;
  else if (every && every.length < fewConversations)
    matches = `SELECT id, true AS is_match, false AS is_stop FROM (${inConversations(every)}) AS found`;
  else if (every)
    matches = `SELECT id, true AS is_match, false AS is_stop FROM (${inSegments()}) AS found WHERE id = ANY (${bind("text[]", every)})`;
  else
    matches = `
    SELECT found.id, matching.yes IS NOT NULL AS is_match, found.number = ${maximumRead} AS is_stop
    FROM (SELECT id, row_number() OVER () AS number FROM (${inSegments()}) AS unnumbered LIMIT ${maximumRead}) AS found
    LEFT JOIN LATERAL (
      SELECT 1 AS yes FROM conversations WHERE ${bindFilters(bind, within, filtered.filters)} AND id = found.id OFFSET 0
    ) AS matching ON true
    WHERE matching.yes IS NOT NULL OR found.number = ${maximumRead}`;

  const scored = (alias: string) => `
    CROSS JOIN LATERAL (
      SELECT coalesce(max(${scoreOf(bind, wanted)}), 0) AS score FROM search_entries e
      WHERE e.tenant_id = ${within.tenantId} AND e.environment = ${within.environment} AND e.conversation_id = ${alias}.id
        AND ${hasTerms(bind, wanted, () => false)}
    ) AS scored`;
  const columns = `match.id, score, is_match AS "isMatch", is_stop AS "isStop"`;
  if (!isRanked)
    return {
      ...name,
      text: `
    SELECT ${columns}, match.id AS "newestId" FROM (SELECT * FROM (${matches}) AS page LIMIT ${count}) AS match ${scored("match")}
    ORDER BY match.id DESC`,
      values,
    };
  const beyond = after
    ? `AND (score, match.id) < (${bind("int", after.score ?? 0)}, ${bind("text", after.id)})`
    : "";
  return {
    ...name,
    text: `
    WITH match AS MATERIALIZED (SELECT * FROM (${matches}) AS page LIMIT ${count})
    SELECT ${columns}, (SELECT max(id) FROM match) AS "newestId" FROM match ${scored("match")}
    WHERE is_match ${beyond} ORDER BY score DESC, match.id DESC LIMIT ${rows}`,
    values,
  };
}

/** More conversations than this are not listed to compare them with the filters. */
export const manyConversations = 2_500;

/** Conversations that the filters match, in any order, up to `manyConversations`. */
export function filteredStatement(partition: Partition, filters: Filters): Query {
  const { bind, values } = bindings();
  const where = bindFilters(bind, bindPartition(bind, partition), filters);
  return { text: `SELECT id FROM conversations WHERE ${where} LIMIT ${manyConversations}`, values };
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
  return { ...nameOf("matching_messages", wanted), text, values };
}

/** The conversations of a page, as the API returns them. */
export function foundConversationsStatement(partition: Partition, ids: string[]): Query {
  const { bind, values } = bindings();
  const { partition: own } = bindPartition(bind, partition);
  return {
    name: "found_conversations",
    text: `SELECT ${conversationFields} FROM conversations WHERE ${own} AND id = ANY (${bind("text[]", ids)})`,
    values,
  };
}
