import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { reader } from "@/lib/platform/caller";
import { pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { purgeExpired } from "@/lib/retention/purge-expired";
import { storedBytes } from "@/lib/storage/stored-bytes";
import { migrationNames, migrationsDirectory } from "@/prisma/migration-files";
import { splitStatements } from "@/prisma/split-statements";
import { call, newTenant, send, type TestTenant } from "../support/api";
import { formOf, newKnowledgeBase, upload } from "../support/documents";

// Triggers keep storage_days. Usage and the quota read nothing else.

const days = (tenantId: string) =>
  pool().query(
    `SELECT environment, day, documents, files, size_bytes FROM storage_days
     WHERE tenant_id = $1 AND (documents, files, size_bytes) <> (0, 0, 0) ORDER BY environment, day`,
    [tenantId],
  );

const recount = (tenantId: string) =>
  pool().query(
    `SELECT environment, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) FILTER (WHERE is_document)::int AS documents,
       count(*) FILTER (WHERE NOT is_document)::int AS files, sum(size_bytes)::bigint AS size_bytes
     FROM (
       SELECT true AS is_document, environment, created_at, size_bytes FROM documents WHERE tenant_id = $1
       UNION ALL SELECT false, environment, created_at, size_bytes FROM files WHERE tenant_id = $1
     ) AS stored GROUP BY environment, day ORDER BY environment, day`,
    [tenantId],
  );

async function expectExact({ tenantId, identity }: TestTenant): Promise<number> {
  const { rows } = await days(tenantId);
  expect(rows).toEqual((await recount(tenantId)).rows);
  const bytes = rows.reduce((sum, row) => sum + Number(row.size_bytes), 0);
  expect(await storedBytes(reader(identity))).toBe(bytes);
  return bytes;
}

const newFile = async ({ key }: TestTenant, text: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` };
  const form = formOf(text, "a.txt");
  return (await send("/v1/public/files", { method: "POST", headers, body: form })).body.id;
};

/** As if the rows had been uploaded on three other days, whatever the time is now. */
const moveToDays = (table: "documents" | "files", tenantId: string) =>
  pool().query(
    `WITH moved AS (DELETE FROM ${table} WHERE tenant_id = $1 RETURNING *)
     INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(moved) || jsonb_build_object('created_at',
       timestamptz '2026-01-03 12:00Z' - row_number() OVER (ORDER BY id) % 3 * interval '1 day'))).* FROM moved`,
    [tenantId],
  );

test("what is stored by day is exact after each kind of change, and the migration counts the same", async () => {
  const tenant = await newTenant();
  const { tenantId, key } = tenant;
  const texts = Array.from({ length: 8 }, (_, index) => "x".repeat(index + 1));
  const kept = await newKnowledgeBase(tenant, "Kept");
  const doomed = await newKnowledgeBase(tenant, "Doomed");
  const ids: string[] = [];
  for (const base of [kept, doomed])
    for (const text of texts)
      ids.push((await upload(tenant, base, formOf(text, `${text}.txt`))).body.id);
  const [first, second] = ids;
  expect(await expectExact(tenant)).toBe(2 * 36);
  await moveToDays("documents", tenantId);
  expect((await days(tenantId)).rows).toHaveLength(3);
  expect(await expectExact(tenant)).toBe(2 * 36);

  const { status } = await send(`/v1/public/knowledge-bases/${kept}/documents/${first}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}` },
    body: formOf("y".repeat(101), "y.txt"),
  });
  expect(status).toBe(200);
  expect(await expectExact(tenant)).toBe(2 * 36 + 100);

  const fileIds: string[] = [];
  for (const text of texts) fileIds.push(await newFile(tenant, text));
  await moveToDays("files", tenantId);
  const { body: conversation } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const attach = (attachments: string[]) =>
    call(tenant, "POST", `/conversations/${conversation.id}/messages`, {
      ...{ direction: "INBOUND", text: "", attachments },
    });
  expect((await attach(fileIds.slice(0, 3))).status).toBe(201);
  expect((await attach(fileIds.slice(3, 5))).status).toBe(201);
  expect(await expectExact(tenant)).toBe(2 * 36 + 100 + 36);

  // As it is, the migration would count everything a second time.
  const migration = migrationNames().find((name) => name.endsWith("_follow_storage")) ?? "";
  const file = path.join(migrationsDirectory, migration, "migration.sql");
  const backfill = splitStatements(readFileSync(file, "utf8")).at(-1) ?? "";
  await pool().query("DELETE FROM storage_days");
  await pool().query(backfill);
  await expectExact(tenant);

  await call(tenant, "DELETE", `/knowledge-bases/${kept}/documents/${second}`);
  await expectExact(tenant);
  await call(tenant, "DELETE", `/knowledge-bases/${doomed}`);
  await call(tenant, "DELETE", `/conversations/${conversation.id}`);
  while ((await workOffDeletions(3)) > 0);
  expect(await expectExact(tenant)).toBe(101 + 36 - 1 - 2 + (6 + 7 + 8));

  // The files that no message has.
  setCurrentTime(() => new Date(Date.now() + 25 * 3_600_000));
  await purgeExpired(100).finally(() => setCurrentTime(null));
  expect(await expectExact(tenant)).toBe(101 + 36 - 1 - 2);
});
