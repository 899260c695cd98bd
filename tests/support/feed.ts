import { setTimeout as sleep } from "node:timers/promises";
import { pool } from "@/lib/platform/db";
import { call, type TestTenant } from "./api";

export type FeedEvent = { id: string; type: string; data: { object: Record<string, unknown> } };

/**
 * All of a tenant's latest events, the first one first. Unlike the ascending feed, it waits for no
 * other transaction.
 */
export async function eventsInOrder(tenant: TestTenant): Promise<FeedEvent[]> {
  return (await call(tenant, "GET", "/events?limit=100")).body.data.toReversed();
}

/**
 * Resolves when the ascending feed shows all that is committed: other test files' transactions can
 * hold it back.
 */
export async function feedShowsAll({ tenantId }: Pick<TestTenant, "tenantId">): Promise<void> {
  const sql =
    "SELECT NOT EXISTS (SELECT 1 FROM events WHERE tenant_id = $1 AND xact >= pg_snapshot_xmin(pg_current_snapshot())) AS done";
  while (!(await pool().query(sql, [tenantId])).rows[0].done) await sleep(2);
}
