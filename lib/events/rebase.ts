import pg from "pg";
import { runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { sql } from "@/lib/platform/sql";

/** The newest event of each tenant and environment, by one index lookup each. */
const misplacedStatement = sql(
  null,
  {},
  () => `
  SELECT EXISTS (
    SELECT 1 FROM tenants t CROSS JOIN unnest(enum_range(NULL::"Environment")) AS e (environment)
    CROSS JOIN LATERAL (
      SELECT xact FROM events WHERE tenant_id = t.id AND environment = e.environment ORDER BY xact DESC, id DESC LIMIT 1
    ) newest
    WHERE newest.xact >= pg_snapshot_xmax(pg_current_snapshot())
  ) AS "isMisplaced"`,
);

/**
 * Whether events carry transaction ids that this PostgreSQL cluster has not reached, because a dump
 * of another cluster was restored. New events would be sorted before them.
 */
export async function hasMisplacedEvents(): Promise<boolean> {
  const [row] = await runSql<{ isMisplaced: boolean }>(misplacedStatement({}));
  return row?.isMisplaced ?? false;
}

/** The first id that a cluster gives to a transaction. */
const firstXact = "3";
const secondXact = "4";
/** After the ids of all messages. */
const afterAllIds = "msg_Z";

/**
 * Moves all events and messages before every future transaction, events in the order of their ids.
 * For a restored dump, before it is served.
 * @returns how many events
 */
export async function rebaseEvents(): Promise<number> {
  // Not one of the pool's connections, because this can take longer than their timeout.
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query("UPDATE purged_events SET xact = $1", [firstXact]);
    const { rowCount } = await client.query("UPDATE events SET xact = $1", [firstXact]);
    // Messages that the search has not indexed yet stay behind those that it has.
    await client.query(
      "UPDATE messages m SET xact = CASE WHEN (m.xact, m.id) > (p.xact, p.message_id) THEN $2 ELSE $1 END::xid8 FROM search_progress p",
      [firstXact, secondXact],
    );
    await client.query("UPDATE search_progress SET xact = $1, message_id = $2", [
      firstXact,
      afterAllIds,
    ]);
    await client.query("COMMIT");
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
