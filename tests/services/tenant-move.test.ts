import { afterEach, expect, test } from "vitest";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import {
  deletedTables,
  forwardingTables,
  lastTables,
  ownedTables,
  replicatedTables,
} from "@/lib/tenant-move/tables";
import { createTenant } from "@/lib/tenants/service";
import { commands } from "@/server/admin/commands";

afterEach(() => {
  delete process.env.MOVE_TO_DATABASE_URL;
});

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

test("a move that names no database is undone only where its copy is", async () => {
  const { id, slug } = await createTenant(db(), { name: "Moved" });
  await db().tenantMove.create({
    data: { tenantId: id, state: "COPYING", targetOrigin: "https://b.example.com" },
  });
  process.env.MOVE_TO_DATABASE_URL = env().DATABASE_URL;
  const run = (flags: Record<string, string>) =>
    commands["tenant:move"]?.run({ tenant: slug, ...flags });
  await expect(run({ abort: "true" })).rejects.toThrow("was begun with another database");
  expect(await db().tenantMove.count({ where: { tenantId: id } })).toBe(1);
  delete process.env.MOVE_TO_DATABASE_URL;
  expect(await run({ "forget-copy": "true" })).toEqual({
    output: { id, slug, otherSlots: [] },
  });
  expect(await db().tenantMove.count({ where: { tenantId: id } })).toBe(0);
});

test("the command reads the target's address from the environment, because everybody can read options", async () => {
  const { slug } = await createTenant(db(), { name: "Moved" });
  const run = (options: Record<string, string> = {}) =>
    commands["tenant:move"]?.run({ tenant: slug, origin: "https://b.example.com", ...options });
  await expect(run()).rejects.toThrow(
    "Set MOVE_TO_DATABASE_URL to the target's database, or give --to.",
  );
  process.env.MOVE_TO_DATABASE_URL = env().DATABASE_URL;
  await expect(run()).rejects.toThrow(
    "The target must be the database of another PostgreSQL cluster.",
  );
  const to = "postgresql://nobody@127.0.0.1:9/none";
  await expect(run({ to })).rejects.toThrow("The target's database cannot be reached");
});
