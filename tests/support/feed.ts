import { setTimeout as sleep } from "node:timers/promises";
import { createCustomer } from "@/lib/customers/service";
import { mutate } from "@/lib/platform/caller";
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

/** Creates a customer in a transaction that stays open. @returns a function that commits it */
export async function holdCustomer(tenant: TestTenant, name: string): Promise<() => Promise<void>> {
  let commit = () => {};
  const gate = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let written = () => {};
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  const done = mutate(tenant.identity, async (caller) => {
    await createCustomer(caller, { name });
    written();
    await gate;
  });
  await Promise.race([isWritten, done]);
  return async () => {
    commit();
    await done;
  };
}

/** The ids of this tenant's events in the order of their feed. */
export async function positions({ tenantId }: TestTenant): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>(
    "SELECT id FROM events WHERE tenant_id = $1 ORDER BY xact, id",
    [tenantId],
  );
  return rows.map(({ id }) => id);
}
