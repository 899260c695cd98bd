import { expect, test } from "vitest";
import { pool } from "@/lib/platform/db";
import {
  deletedTables,
  forwardingTables,
  lastTables,
  ownedTables,
  replicatedTables,
} from "@/lib/tenant-move/tables";

test("every table with rows of an organization is moved, guarded and cleaned up", async () => {
  const { rows } = await pool().query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
     ORDER BY 1`,
  );
  // Not of a tenant that is moved: receipts, deletions in progress, and the move itself.
  const others = ["deleted_tenants", "tenant_deletions", "tenant_moves"];
  const tables = rows.map(({ name }) => name).filter((name) => !others.includes(name));
  expect([...deletedTables].sort()).toEqual(tables);
  const search = tables.filter((name) => name.startsWith("search_"));
  expect([...replicatedTables, ...lastTables, ...search].sort()).toEqual(tables);
  const guarded = ownedTables.map(({ name }) => name);
  expect([...guarded, ...search].sort()).toEqual([...tables, "tenants"].sort());
  for (const name of forwardingTables) expect(guarded).toContain(name);
});

test("every replicated table can be filtered by its tenant: it is in the primary key", async () => {
  const { rows } = await pool().query<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t (name)
     WHERE NOT EXISTS (
       SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[])
       WHERE i.indrelid = t.name::regclass AND i.indisprimary AND a.attname = 'tenant_id'
     )`,
    [replicatedTables],
  );
  expect(rows).toEqual([]);
});
