import { beforeAll, expect, test } from "vitest";
import { readQuery } from "@/lib/api/read-request";
import { searchConversations } from "@/lib/conversations/search";
import { searchConversationsQuery } from "@/lib/conversations/search-schema";
import { type Identity, reader } from "@/lib/platform/caller";
import { closeDatabase, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { explainEverything, plansOf } from "../support/plans";
import { fillSearchDatabase, filters, searched, words } from "../support/search-database";

const messages = 200_000;

/**
 * Of some 290,000 entries. Each segment has 20,000 of them, and the page of a common word needs one;
 * the entries of 1,000 conversations and their messages come on top.
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
    for (const q of words) {
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

test("the index of words is used, however large the table is expected to be", async () => {
  const { rows } = await pool().query(
    "SELECT idx_scan > 0 AS used FROM pg_stat_user_indexes WHERE indexrelname = 'search_entries_words_idx'",
  );
  expect(rows).toEqual([{ used: true }]);
});
