import { beforeAll, expect, test } from "vitest";
import { readQuery } from "@/lib/api/read-request";
import { searchConversations } from "@/lib/conversations/search";
import { filteredStatement } from "@/lib/conversations/search.sql";
import { indexForSearch } from "@/lib/conversations/search-index";
import { searchConversationsQuery } from "@/lib/conversations/search-schema";
import { type Identity, reader } from "@/lib/platform/caller";
import { closeDatabase, pool, setProcessRole } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { parseQuery } from "@/lib/platform/search-text";
import { workerSettings } from "@/lib/scheduling/worker-settings";
import { explainEverything, plansOf } from "../support/plans";
import { fillSearchDatabase, filters, searched, words } from "../support/search-database";

const messages = 200_000;

/**
 * Of 258,000 entries and 50,000 conversations. A page of common words reads a few segments of 4,900
 * entries, or compares 2,500 conversations with the filters.
 */
const mostRows = 60_000;

const identity: Identity = {
  partition: { tenantId: searched.tenantId, environment: "live" },
  actor: { type: "OPERATOR", id: "tests" },
  request: null,
  address: null,
};

beforeAll(async () => {
  await fillSearchDatabase(env().DATABASE_URL, messages);
  await explainEverything();
  await closeDatabase();
}, 600_000);

const cases = filters.flatMap((filter) =>
  ["ranked", "newest"].map((sort) => ({
    name: Object.values(filter).join(" ") || "no filter",
    query: { ...filter, sort },
  })),
);

test.each(cases)(
  "a search by any words with $name, $query.sort, reads no more than a few segments",
  async ({ query }) => {
    // A rare phrase of common words has no such bound: all entries with the words are read for it.
    for (const q of words.filter((word) => word !== '"w1 w1 w1"')) {
      const text = new URLSearchParams({ ...query, q }).toString();
      const parsed = searchConversationsQuery.parse(readQuery(text));
      const plans = await plansOf(() => searchConversations(reader(identity), parsed));
      const tooMany = plans.filter(({ rowsRead }) => rowsRead > mostRows);
      expect(tooMany.map(({ rowsRead, query }) => [q, rowsRead, query.slice(0, 2_000)])).toEqual(
        [],
      );
    }
  },
);

test.each<{ q: string; filter: Record<string, string> }>([
  { q: "w77", filter: { tag: "seven" } },
  { q: "refund", filter: { status: "OPEN" } },
  { q: "refund", filter: { status: "CLOSED" } },
  { q: "gamma w1", filter: { assigneeId: "usr_many" } },
  { q: '"w1 w2"', filter: { "metadata[plan]": "free" } },
  { q: "w5", filter: { updatedSince: filters.at(-1)?.updatedSince ?? "" } },
])(
  "all pages by $q with $filter have every conversation once, also where reading stops",
  async ({ q, filter }) => {
    const parse = (query: Record<string, string>) =>
      searchConversationsQuery.parse(readQuery(new URLSearchParams(query).toString()));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { q, ...filter, sort: "newest", limit: "50", ...(cursor && { cursor }) };
      const page = await searchConversations(reader(identity), parse(query));
      seen.push(...page.data.map(({ conversation }) => conversation.id));
      cursor = page.nextCursor;
    } while (cursor);

    const parsed = parseQuery(q);
    const { limit: _limit, q: _q, sort: _sort, ...filtered } = parse({ q, ...filter });
    const { text, values } = filteredStatement(identity.partition, filtered);
    const terms = "terms" in parsed ? parsed.terms : [];
    const { rows } = await pool().query<{ id: string }>(
      `SELECT DISTINCT e.conversation_id AS id FROM search_entries e
     JOIN (${text.replace(/LIMIT \d+$/, "")}) AS matching ON matching.id = e.conversation_id
     WHERE e.tenant_id = $1 AND ${terms.map(({ words, isPrefix }) => `e.header || e.text || ' ' LIKE '% ${words.join(" ")}${isPrefix ? "%" : " %"}'`).join(" AND ")}
     ORDER BY 1 DESC`,
      values,
    );
    expect(seen).toEqual(rows.map(({ id }) => id));
  },
);

test("searches by one or two words keep their plans, whatever the words and the limit", async () => {
  await closeDatabase();
  const others = await Promise.all(
    Array.from({ length: (pool().options.max ?? 0) - 1 }, () => pool().connect()),
  );
  const search = (query: Record<string, string>) =>
    searchConversations(
      reader(identity),
      searchConversationsQuery.parse(readQuery(new URLSearchParams(query).toString())),
    );
  const plans = await plansOf(async () => {
    for (const sort of ["ranked", "newest"])
      for (const q of ["w1", "w77", "order12", "nowhere", "w1 w2", "alpha beta"])
        for (const limit of ["7", "12", "20"]) await search({ q, sort, limit });
    // Their texts are too many to keep a plan for each.
    for (const q of ["w1 w2 w3", '"w1 w2"']) await search({ q });
    await search({ q: "w1", status: "OPEN" });
  });
  // PostgreSQL plans a statement five times before it may keep a plan.
  const { rows } = await pool().query(
    `SELECT left(name, -21) AS name, count(*)::int AS texts, bool_and(generic_plans > 0 AND custom_plans = 5) AS "isPlanKept"
     FROM pg_prepared_statements WHERE name ~ '^(search|matching|found)_' GROUP BY 1 ORDER BY 1`,
  );
  for (const client of others) client.release();
  expect(rows).toEqual([
    { name: "found_conversations", texts: 1, isPlanKept: true },
    { name: "matching_messages", texts: 2, isPlanKept: true },
    { name: "search_conversations", texts: 4, isPlanKept: true },
  ]);
  expect(plans.filter(({ rowsRead }) => rowsRead > mostRows)).toEqual([]);
});

test("the index of words is used", async () => {
  const { rows } = await pool().query(
    "SELECT idx_scan > 0 AS used FROM pg_stat_user_indexes WHERE indexrelname = 'search_entries_words_idx'",
  );
  expect(rows).toEqual([{ used: true }]);
});

test("indexing a batch looks up its conversations, however many there are", async () => {
  await pool().query("UPDATE search_progress SET xact = '0', message_id = ''");
  await closeDatabase();
  setProcessRole("worker", workerSettings);
  const plans = await plansOf(() => indexForSearch(200));
  expect(plans.some(({ query }) => query.includes("conversations c"))).toBe(true);
  expect(plans.filter(({ rowsRead }) => rowsRead > 2_000)).toEqual([]);
});

test("indexing changed subjects looks up their entries, however many there are", async () => {
  await pool().query(
    "UPDATE conversations SET subject = 'changed' WHERE id IN (SELECT id FROM conversations ORDER BY id LIMIT 50)",
  );
  const plans = await plansOf(() => indexForSearch(200));
  expect(plans.some(({ query }) => query.includes("UPDATE search_entries"))).toBe(true);
  expect(plans.filter(({ rowsRead }) => rowsRead > 2_000)).toEqual([]);
});
