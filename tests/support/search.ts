import { setTimeout as sleep } from "node:timers/promises";
import { indexForSearch } from "@/lib/conversations/search-index";
import { pool } from "@/lib/platform/db";

/**
 * Resolves when all messages are old enough to be indexed: no transaction that began before them
 * still runs. Other test files' transactions count, too.
 */
export async function indexCanReachAll(): Promise<void> {
  const sql = `SELECT NOT EXISTS (SELECT 1 FROM messages
    WHERE xact >= pg_snapshot_xmin(pg_current_snapshot())) AS reachable`;
  while (!(await pool().query(sql)).rows[0].reachable) await sleep(2);
}

/**
 * Resolves when a search finds all that is committed. Other test files' transactions can hold it
 * back.
 */
export async function searchFindsAll(): Promise<void> {
  const sql = `SELECT NOT EXISTS (SELECT 1 FROM search_changes)
    AND NOT EXISTS (SELECT 1 FROM messages m, search_progress p WHERE (m.xact, m.id) > (p.xact, p.message_id)) AS done`;
  for (;;) {
    while ((await indexForSearch(200)) > 0);
    if ((await pool().query(sql)).rows[0].done) return;
    await sleep(2);
  }
}
