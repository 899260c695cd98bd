import type pg from "pg";
import { inTransaction, readRow, type Sessions } from "./sessions";
import {
  deletedTables,
  forwardingTables,
  lastTables,
  replicatedTables,
  userTables,
} from "./tables";

const deleteBatchRows = 5_000;

/** Members of the tenant, and users whose notifications it has. */
const usersOfTenant = `
  SELECT user_id FROM memberships WHERE tenant_id = $1 UNION SELECT user_id FROM notifications WHERE tenant_id = $1`;

type Person = { id: string; email: string };

/**
 * A user is the same person in both installations if the id is the same, as after an earlier move.
 * @throws Error if the target has another user with the address of one of the tenant's
 */
export async function requireNoOtherUsers(
  { source, target }: Sessions,
  tenantId: string,
): Promise<void> {
  const { rows: users } = await source.query<Person>(
    `SELECT id, email FROM users WHERE id IN (${usersOfTenant})`,
    [tenantId],
  );
  const { rows: others } = await target.query<Person>(
    `SELECT u.id, u.email FROM users u JOIN unnest($1::text[], $2::text[]) AS n (id, email) ON n.email = u.email AND n.id <> u.id`,
    [users.map(({ id }) => id), users.map(({ email }) => email)],
  );
  if (others.length === 0) return;
  const emails = others.map(({ email }) => email).join(", ");
  throw new Error(
    `The target already has other accounts for ${emails}. An account cannot be merged with another one. Delete these accounts in the target, or remove the members from the organization, and invite them again after the move.`,
  );
}

/**
 * Copies what is not replicated, in one transaction. The tenant's own row comes last: without it, no key
 * of the tenant is valid in the target.
 */
export async function copyLastRows(sessions: Sessions, tenantId: string): Promise<void> {
  const { source, target } = sessions;
  await inTransaction(target, async () => {
    await deleteForwarding(target, tenantId);
    await requireNoOtherUsers(sessions, tenantId);
    await deleteLeftUsers(target, await idsOf(source, usersOfTenant, tenantId));
    const { rows: present } = await target.query<{ id: string }>(
      "SELECT id FROM users WHERE id = ANY ($1)",
      [await idsOf(source, usersOfTenant, tenantId)],
    );
    const known = present.map(({ id }) => id);
    const missing = `IN (SELECT user_id FROM (${usersOfTenant}) u WHERE user_id <> ALL ($2))`;
    await copyRows(sessions, "users", `id ${missing}`, [tenantId, known]);
    for (const table of userTables)
      await copyRows(sessions, table, `user_id ${missing}`, [tenantId, known]);
    for (const table of lastTables) await copyRows(sessions, table, "tenant_id = $1", [tenantId]);
    await target.query(
      `INSERT INTO search_changes (tenant_id, environment, target_id)
       SELECT tenant_id, environment, id FROM conversations WHERE tenant_id = $1 AND (subject IS NOT NULL OR customer_id IS NOT NULL)`,
      [tenantId],
    );
    await copyRows(sessions, "tenants", "id = $1", [tenantId]);
  });
}

/**
 * A user without any organization is left from a move that was aborted, and may have changed. What
 * signs them in is deleted with them: nothing cascades in this session, and a passkey that was
 * removed since must not come back.
 */
async function deleteLeftUsers(target: pg.Client, ids: string[]): Promise<void> {
  const { rows } = await target.query<{ id: string }>(
    `DELETE FROM users u WHERE id = ANY ($1) AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id) RETURNING id`,
    [ids],
  );
  const left = rows.map(({ id }) => id);
  for (const table of [...userTables, "sessions"])
    await target.query(`DELETE FROM ${table} WHERE user_id = ANY ($1)`, [left]);
}

/**
 * What an earlier move from this installation left, if the tenant comes back. It stays until the copy
 * is complete, because requests are forwarded until then.
 */
async function deleteForwarding(client: pg.Client, tenantId: string): Promise<void> {
  for (const table of ["api_keys", "memberships"])
    await client.query(`DELETE FROM ${table} WHERE tenant_id = $1`, [tenantId]);
  await client.query("DELETE FROM tenants WHERE id = $1 AND moved_to IS NOT NULL", [tenantId]);
}

async function idsOf(client: pg.Client, query: string, tenantId: string): Promise<string[]> {
  const { rows } = await client.query<{ user_id: string }>(query, [tenantId]);
  return rows.map(({ user_id }) => user_id);
}

/** As JSON, whose members have names: the columns of both tables may be in another order. */
async function copyRows(
  { source, target }: Sessions,
  table: string,
  condition: string,
  values: unknown[],
): Promise<void> {
  const { rows } = await source.query<{ row: string }>(
    `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE ${condition}`,
    values,
  );
  if (rows.length === 0) return;
  // A mail or a provider's account can be in the target already, under its unique name.
  const isShared = table === "mails" || userTables.includes(table);
  await target.query(
    `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ${isShared ? "ON CONFLICT DO NOTHING" : ""}`,
    [`[${rows.map(({ row }) => row).join(",")}]`],
  );
}

const countRows = replicatedTables
  .map(
    (table) =>
      `SELECT '${table}' AS table, count(*)::int AS rows FROM ${table} WHERE tenant_id = $1`,
  )
  .join(" UNION ALL ");

/** Of the audit log and the order of the feed: what must be the same to the last byte. */
const digest = `
  SELECT md5(coalesce((SELECT string_agg(md5(to_jsonb(a)::text), '' ORDER BY a.sequence) FROM audit_entries a WHERE a.tenant_id = $1), '')) AS "auditLog",
    md5(coalesce((SELECT string_agg(e.id, ',' ORDER BY e.environment, e.xact, e.id) FROM events e WHERE e.tenant_id = $1), '')) AS feed`;

/**
 * Compares the number of rows of every replicated table, the audit log and the order of the feed.
 * @returns the number of rows
 * @throws Error if anything differs
 */
export async function requireSameRows(
  { source, target }: Sessions,
  tenantId: string,
): Promise<number> {
  type Count = { table: string; rows: number };
  const [here, there, own, copied] = await Promise.all([
    source.query<Count>(countRows, [tenantId]),
    target.query<Count>(countRows, [tenantId]),
    readRow<{ auditLog: string; feed: string }>(source, digest, [tenantId]),
    readRow<{ auditLog: string; feed: string }>(target, digest, [tenantId]),
  ]);
  const found = new Map(there.rows.map(({ table, rows }) => [table, rows]));
  const different = here.rows.filter(({ table, rows }) => found.get(table) !== rows);
  if (different.length > 0) {
    const list = different.map(({ table, rows }) => `${table} ${found.get(table)} of ${rows}`);
    throw new Error(`The target does not have the same rows as the source: ${list.join(", ")}.`);
  }
  if (own?.auditLog !== copied?.auditLog)
    throw new Error("The audit log of the target is not the same as that of the source.");
  if (own?.feed !== copied?.feed)
    throw new Error("The events of the target are not in the same order as those of the source.");
  return here.rows.reduce((sum, { rows }) => sum + rows, 0);
}

/** Deletes the copy in the target. If an earlier move left it to forward requests, it does so again. */
export async function deleteCopy(target: pg.Client, tenantId: string): Promise<void> {
  const move = await readRow<{ forwardedTo: string | null }>(
    target,
    `SELECT forwarded_to AS "forwardedTo" FROM tenant_moves WHERE tenant_id = $1`,
    [tenantId],
  );
  const forwardedTo = move?.forwardedTo ?? null;
  if (forwardedTo === null) await target.query("DELETE FROM tenants WHERE id = $1", [tenantId]);
  else
    await target.query("UPDATE tenants SET moved_to = $2 WHERE id = $1", [tenantId, forwardedTo]);
  await deleteRows(target, tenantId, forwardedTo === null ? [] : forwardingTables);
}

/**
 * Deletes what an installation does not need to forward requests. Stored files belong to the other one.
 */
export async function deleteMovedRows(client: pg.Client, tenantId: string): Promise<number> {
  return deleteRows(client, tenantId, forwardingTables);
}

async function deleteRows(client: pg.Client, tenantId: string, kept: string[]): Promise<number> {
  let total = 0;
  for (const table of deletedTables.filter((name) => !kept.includes(name))) {
    for (;;) {
      const { rowCount } = await client.query(
        `DELETE FROM ${table} WHERE tenant_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE tenant_id = $1 LIMIT ${deleteBatchRows}))`,
        [tenantId],
      );
      total += rowCount ?? 0;
      if (!rowCount) break;
    }
  }
  return total;
}
