// `npm run bench:search`: how long a search takes among a million messages of one tenant, by words
// from the most frequent to none, with each filter, in both orders, on the first and the next page;
// and how many messages a second the job indexes.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { readQuery } from "@/lib/api/read-request";
import { searchConversations } from "@/lib/conversations/search";
import { indexForSearch } from "@/lib/conversations/search-index";
import { searchConversationsQuery } from "@/lib/conversations/search-schema";
import { type Identity, reader } from "@/lib/platform/caller";
import { closeDatabase, pool } from "@/lib/platform/db";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { fillSearchDatabase, filters, searched, words } from "@/tests/support/search-database";
import { percentile, prepareDatabase } from "./setting";

const { values: options } = parseArgs({
  options: {
    messages: { type: "string", default: "1000000" },
    executions: { type: "string", default: "5" },
    only: { type: "string" },
  },
});
const messages = Number(options.messages);
const executions = Number(options.executions);
const goalMs = 50;

const identity: Identity = {
  partition: { tenantId: searched.tenantId, environment: "live" },
  actor: { type: "OPERATOR", id: "bench" },
  request: null,
  address: null,
};

const print = (name: string, ...figures: (string | number)[]) =>
  process.stdout.write(
    `${name.padEnd(72)}${figures.map((figure) => String(figure).padStart(10)).join("")}\n`,
  );

async function measureSearches(): Promise<boolean> {
  print(`\n${messages} messages, load ${loadavg()[0]?.toFixed(1)}`, "found", "p50 ms", "most ms");
  const all: number[] = [];
  for (const sort of ["ranked", "newest"])
    for (const filter of filters)
      for (const q of words) {
        const query = { q, sort, ...filter };
        const name = Object.values(query).join(" ");
        if (options.only && !name.includes(options.only)) continue;
        const times: number[] = [];
        let found = 0;
        let cursor: string | undefined;
        for (let execution = 0; execution < executions; execution++) {
          const text = new URLSearchParams({ ...query, ...(cursor && { cursor }) }).toString();
          const parsed = searchConversationsQuery.parse(readQuery(text));
          const began = performance.now();
          const page = await searchConversations(reader(identity), parsed);
          times.push(performance.now() - began);
          found = Math.max(found, page.data.length);
          cursor = page.nextCursor;
        }
        all.push(...times);
        const most = Math.max(...times);
        print(
          name,
          found,
          percentile(times, 0.5).toFixed(1),
          most.toFixed(1),
          most > goalMs ? "!" : "",
        );
      }
  const p95 = percentile(all, 0.95);
  const shares = [0.5, 0.95, 0.99].map((share) => percentile(all, share).toFixed(1));
  process.stdout.write(
    `\n${all.length} searches: p50 ${shares[0]} ms, p95 ${shares[1]} ms, p99 ${shares[2]} ms, most ${Math.max(...all).toFixed(1)} ms\n`,
  );
  return p95 <= goalMs;
}

/** Indexes the newest messages once more, as if they had just been posted. */
async function measureIndexing(count: number): Promise<void> {
  await pool().query(
    `WITH newest AS (SELECT tenant_id, environment, conversation_id, id FROM messages ORDER BY xact DESC, id DESC LIMIT ${count})
     DELETE FROM search_entries e USING newest n
     WHERE e.tenant_id = n.tenant_id AND e.environment = n.environment AND e.conversation_id = n.conversation_id AND e.message_id = n.id`,
  );
  await pool().query(
    `UPDATE search_progress SET (xact, message_id) = (SELECT xact, id FROM messages ORDER BY xact DESC, id DESC OFFSET ${count} LIMIT 1)`,
  );
  const { rows: before } = await pool().query("SELECT pg_current_wal_insert_lsn() AS lsn");
  const began = performance.now();
  let indexed = 0;
  for (let done = 1; done > 0; indexed += done) done = await indexForSearch(200);
  const ms = performance.now() - began;
  const { rows } = await pool().query(
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::int AS bytes",
    [before[0].lsn],
  );
  process.stdout.write(
    `indexed ${indexed} messages, ${Math.round((indexed * 1_000) / ms)}/s, ${Math.round(rows[0].bytes / indexed)} bytes of log each\n`,
  );
}

const isMet = await withTemporaryPostgres(async (postgres) => {
  await prepareDatabase(postgres, "bench_search");
  await fillSearchDatabase(postgres.url("bench_search"), messages, (line) =>
    process.stdout.write(`${line}\n`),
  );
  const result = await measureSearches();
  await measureIndexing(10_000).finally(closeDatabase);
  return result;
});
process.stdout.write(isMet ? "\nmet\n" : "\nNOT met\n");
process.exitCode = isMet ? 0 : 1;
