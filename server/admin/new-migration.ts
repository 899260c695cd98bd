import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { findDangers } from "@/prisma/dangerous-statements";
import { beyondSchemaFile, diffSchema, migratedSchemaFile, schemaFile } from "@/prisma/migrate";
import { migrationsDirectory } from "@/prisma/migration-files";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";

// npm run migration -- <name>      writes the migration from the last migrated schema to today's
// npm run migration -- --initial   replaces all migrations with a single first one; only before the
//                                  first release
//
// prisma/migrations/schema.prisma is the one snapshot: the schema that the committed migrations lead
// to. Prisma cannot compare against a database instead, because it would drop everything that
// beyond-schema.sql adds. When a migration needs something Prisma cannot express (a generated column,
// a trigger, a partial index), add it to migration.sql by hand and to beyond-schema.sql;
// tests/services/migrations.test.ts fails while the two differ.

const name = process.argv[2] ?? "";
const isInitial = name === "--initial";
if (!isInitial && !/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write("Usage: npm run migration -- <name_in_snake_case>\n");
  process.exit(2);
}

const previous =
  !isInitial && existsSync(migratedSchemaFile) ? readFileSync(migratedSchemaFile, "utf8") : null;
const sql = await withTemporaryPostgres((postgres) =>
  diffSchema(postgres.url("postgres"), previous),
);
const isEmpty = /^(\s|--[^\n]*\n?)*$/.test(sql);
if (isEmpty) {
  // Comments may have changed.
  cpSync(schemaFile, migratedSchemaFile);
  process.stdout.write(
    `${schemaFile} has not changed since the last migration. For a change that Prisma cannot express, write the migration by hand.\n`,
  );
  process.exit(0);
}

if (isInitial) {
  for (const entry of readdirSync(migrationsDirectory))
    if (/^\d{14}_/.test(entry)) rmSync(path.join(migrationsDirectory, entry), { recursive: true });
}
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const directory = path.join(
  migrationsDirectory,
  isInitial ? "20260101000000_init" : `${stamp}_${name}`,
);
mkdirSync(directory, { recursive: true });
writeFileSync(
  path.join(directory, "migration.sql"),
  isInitial ? sql + readFileSync(beyondSchemaFile, "utf8") : sql,
);
cpSync(schemaFile, migratedSchemaFile);
process.stdout.write(`${directory}/migration.sql\n`);
for (const { statement, danger } of isInitial ? [] : findDangers(sql))
  process.stdout.write(`\nWARNING  ${statement}\n         This ${danger}.\n`);
