import { phoneDigits, phoneWords } from "@/lib/customers/search-words";
import { customersById } from "@/lib/customers/service";
import type { Caller } from "@/lib/platform/caller";
import { readRows, readSql } from "@/lib/platform/db";
import { invalidCursor } from "@/lib/platform/errors";
import { parseQuery, type Range, rangesOf, type Term } from "@/lib/platform/search-text";
import { requireCursor } from "@/lib/resources/cursor";
import { rowsFor } from "@/lib/resources/pages";
import type { Filters } from "./list.sql";
import type { Conversation } from "./schema";
import {
  type Filtered,
  type FoundRow,
  filteredStatement,
  foundConversationsStatement,
  type MatchingMessage,
  manyConversations,
  matchingMessagesStatement,
  searchStatement,
  type Wanted,
} from "./search.sql";
import {
  type FoundConversation,
  readSearchCursor,
  type SearchConversations,
  type SearchHighlight,
  type SearchInbox,
  searchCursor,
} from "./search-schema";

/**
 * Conversations with all words of the query in one place: a message together with the subject and
 * the customer.
 * @throws AppError `invalid-cursor`
 */
export async function searchConversations(
  caller: Caller,
  { q, sort, cursor, limit, ...filters }: SearchConversations,
): Promise<{ data: FoundConversation[]; nextCursor?: string }> {
  const { partition } = caller;
  const isRanked = sort === "ranked";
  const after = cursor === undefined ? undefined : (readSearchCursor(cursor) ?? undefined);
  // A cursor of one order does not mark a position in the other.
  if (after && (after.score !== undefined) !== isRanked) throw invalidCursor();
  await requireCursor(caller, "conversations", after?.id);

  const wanted = wantedBy(q);
  const rows = await readRows<FoundRow>(
    searchStatement(partition, wanted, await filteredBy(caller, filters), {
      isRanked,
      newestId: after?.newestId,
      after,
      rows: rowsFor(limit),
    }),
    caller,
  );
  const page = rows.slice(0, limit);
  const data = await withHighlights(
    caller,
    page.filter(({ isMatch }) => isMatch),
    wanted,
  );
  const last = page.at(-1);
  if (!last || (rows.length <= limit && !last.isStop)) return { data };
  const newestId = after?.newestId ?? last.newestId;
  return {
    data,
    nextCursor: isRanked ? searchCursor(last.score, last.id, newestId) : last.id,
  };
}

async function filteredBy(caller: Caller, filters: Filters): Promise<Filtered | null> {
  if (Object.values(filters).every((value) => value === undefined)) return null;
  const found = await readRows<{ id: string }>(
    filteredStatement(caller.partition, filters),
    caller,
  );
  const every = found.length < manyConversations ? found.map(({ id }) => id) : null;
  return { filters, every };
}

const inboxPageSize = 30;

/**
 * The dashboard's search, newest first. What someone has typed so far may be no query yet.
 * @returns `problem`, if there is nothing to search for
 */
export async function searchInbox(caller: Caller, { q, ...query }: SearchInbox) {
  const parsed = parseQuery(q);
  if ("problem" in parsed) return { data: [], problem: parsed.problem };
  const page = { ...query, q, sort: "newest" as const, limit: inboxPageSize };
  return { ...(await searchConversations(caller, page)), problem: null };
}

/** The query was parsed by its schema; this cannot fail. */
function wantedBy(q: string): Wanted {
  const parsed = parseQuery(q);
  if ("problem" in parsed) throw new Error(`the query ${parsed.problem}`);
  return { ...parsed, phone: phoneDigits(q) };
}

async function withHighlights(
  caller: Caller,
  page: FoundRow[],
  wanted: Wanted,
): Promise<FoundConversation[]> {
  if (page.length === 0) return [];
  const ids = page.map(({ id }) => id);
  const reading = readSql<Conversation>(foundConversationsStatement(caller.partition, ids), caller);
  const [conversations, customers, messages] = await Promise.all([
    reading,
    reading.then((found) =>
      customersById(
        caller,
        found.flatMap(({ customerId }) => customerId ?? []),
      ),
    ),
    readRows<MatchingMessage>(matchingMessagesStatement(caller.partition, wanted, ids), caller),
  ]);
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  return page.flatMap(({ id, score }) => {
    // Deleted since it was found.
    const conversation = byId.get(id);
    if (!conversation) return [];
    const customer = conversation.customerId ? customers.get(conversation.customerId) : undefined;
    const fields: SearchHighlight[] = [
      ...highlightsOf("subject", conversation.subject, wanted),
      ...highlightsOf("customer.name", customer?.name, wanted),
      ...highlightsOf("customer.email", customer?.email, wanted),
      ...phoneHighlight(customer?.phone, wanted),
      ...highlightsOf("customer.externalId", customer?.externalId, wanted),
      ...messages
        .filter(({ conversationId }) => conversationId === id)
        .flatMap((message) => highlightsOf("message", message.text, wanted, message.id)),
    ];
    return [{ conversation, highlights: fields, score: score / 1_000 }];
  });
}

/** A number that was found without its country code, or by the start of its digits. */
function phoneHighlight(phone: string | null | undefined, wanted: Wanted): SearchHighlight[] {
  if (!phone) return [];
  const isWanted = ({ words: [word = "", ...others] }: Term) =>
    others.length === 0 && phoneWords(phone).some((digits) => digits.startsWith(word));
  const isFound =
    wanted.terms.some(isWanted) ||
    (wanted.phone !== null && isWanted({ words: [wanted.phone], isPrefix: true }));
  return isFound ? [{ field: "customer.phone", text: phone, ranges: [[0, phone.length]] }] : [];
}

function highlightsOf(
  field: SearchHighlight["field"],
  text: string | null | undefined,
  { terms, phone }: Wanted,
  messageId?: string,
): SearchHighlight[] {
  if (!text) return [];
  const number: Term[] = phone ? [{ words: [phone], isPrefix: true }] : [];
  const ranges = rangesOf(text, [...terms, ...number]);
  if (ranges.length === 0) return [];
  return [{ field, ...(messageId && { messageId }), ...excerptOf(text, ranges) }];
}

const excerptLength = 280;
/** If the first word is longer than an excerpt. */
const longestExcerpt = 900;
const lengthBefore = 60;

/** The part of a long text around the first range, from word to word. */
function excerptOf(text: string, ranges: Range[]): { text: string; ranges: Range[] } {
  const [first = [0, 0]] = ranges;
  if (text.length <= excerptLength) return { text, ranges };
  const from = first[0] <= lengthBefore ? 0 : atSpace(text, first[0] - lengthBefore, first[0]);
  const until = Math.min(Math.max(from + excerptLength, first[1]), from + longestExcerpt);
  const end = until >= text.length ? text.length : atCharacter(text, until);
  const start = from > 0 ? "…" : "";
  return {
    text: `${start}${text.slice(from, end)}${end < text.length ? "…" : ""}`,
    ranges: ranges
      .filter(([, rangeEnd], index) => index === 0 || rangeEnd <= end)
      .map(([rangeStart, rangeEnd]) => [
        rangeStart - from + start.length,
        Math.min(rangeEnd, end) - from + start.length,
      ]),
  };
}

/** After the first space from there on, or there if there is none before `limit`. */
function atSpace(text: string, index: number, limit: number): number {
  const space = text.slice(index, limit).search(/\s/);
  return space < 0 ? atCharacter(text, index) : index + space + 1;
}

/** Not between the halves of a surrogate pair. */
const atCharacter = (text: string, index: number): number =>
  /^[\uDC00-\uDFFF]/.test(text.slice(index, index + 1)) ? index - 1 : index;
