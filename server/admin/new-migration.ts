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
import { beyondSchemaFile, diffSchema, migrationsDirectory, schemaFile } from "@/prisma/migrate";
import { withTemporaryPostgres } from "@/server/embedded/postgres";

// npm run migration -- <name>      writes the migration that leads from the last one's schema to
// today's
// npm run migration -- --initial   replaces all migrations by a single first one; only before the
// first release
//
// Beside each migration.sql lies the schema it leads to, so that the next one is a comparison of
// two files. A migration that needs more than Prisma can say (a generated column, an extension) is
// completed by hand before it is committed, and the addition goes into beyond-schema.sql too, which
// completes a first migration that is written anew.

const name = process.argv[2] ?? "";
const isInitial = name === "--initial";
if (!isInitial && !/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write("Usage: npm run migration -- <name_in_snake_case>\n");
  process.exit(2);
}

const existing = existsSync(migrationsDirectory)
  ? readdirSync(migrationsDirectory).filter((entry) => /^\d{14}_/.test(entry))
  : [];
if (isInitial)
  for (const entry of existing) rmSync(path.join(migrationsDirectory, entry), { recursive: true });

const last = isInitial ? undefined : existing.sort().at(-1);
const older = last
  ? readFileSync(path.join(migrationsDirectory, last, "schema.prisma"), "utf8")
  : null;
const sql = await withTemporaryPostgres((postgres) => diffSchema(postgres.url("postgres"), older));
if (/^(\s|--[^\n]*\n?)*$/.test(sql)) {
  process.stdout.write("The schema has not changed since the last migration.\n");
  process.exit(0);
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
cpSync(schemaFile, path.join(directory, "schema.prisma"));
writeFileSync(
  path.join(migrationsDirectory, "migration_lock.toml"),
  '# Prisma reads this to know which kind of database the migrations are for.\nprovider = "postgresql"\n',
);
process.stdout.write(`${directory}/migration.sql\n`);
