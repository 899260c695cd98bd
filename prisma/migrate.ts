import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { migrationNames, migrationsDirectory } from "./migration-files";
import { runMigration } from "./run-script";

// Runs Prisma's own schema engine as WebAssembly from an npm package, where its CLI would download a
// binary. The migrations keep Prisma's layout, so `prisma migrate deploy` applies the same ones.

/** Relative to the project's root, where every command runs. */
export const schemaFile = "prisma/schema.prisma";
/** The schema that the committed migrations lead to. The next migration starts from it. */
export const migratedSchemaFile = `${migrationsDirectory}/schema.prisma`;
/** What schema.prisma cannot express, as SQL. The initial migration ends with it. */
export const beyondSchemaFile = "prisma/beyond-schema.sql";

/**
 * Tables that are partitioned by the time in an id, and the column with that id. Prisma cannot say
 * this, and a table can only be created that way. beyond-schema.sql makes the partitions.
 */
const partitionedBy = {
  events: "id",
  deliveries: "id",
  delivery_attempts: "delivery_id",
  request_logs: "id",
};

/** All that the engine needs of the schema. To parse all of it would take longer than to connect. */
const datasource = 'datasource db { provider = "postgresql" }';

const filters = { externalTables: [], externalEnums: [] };

/** Sets the engine up as the package's bundler build does, but reads the file from disk. */
const loadEngine = once(() => {
  const require = createRequire(import.meta.url);
  const file = path.join(
    path.dirname(require.resolve("@prisma/schema-engine-wasm")),
    "schema_engine_bg.wasm",
  );
  const module = new WebAssembly.Module(readFileSync(file));
  const { exports } = new WebAssembly.Instance(module, {
    "./schema_engine_bg.js": bindings as unknown as WebAssembly.ModuleImports,
  });
  const wasm = bindings as unknown as { __wbg_set_wasm: (exports: WebAssembly.Exports) => void };
  wasm.__wbg_set_wasm(exports);
  (exports.__wbindgen_start as () => void)();
  return bindings.SchemaEngine;
});

/**
 * Runs migrations with run-script.ts, and other scripts of the engine at once. Prisma's own adapter
 * splits scripts at every semicolon, even in a function or a comment.
 */
class MigrationAdapter extends PrismaPg {
  constructor(private readonly connections: pg.Pool) {
    super(connections);
  }

  override async connect() {
    const connection = await super.connect();
    const migrations = new Set(migrationScripts());
    connection.executeScript = async (sql) => {
      if (migrations.has(sql)) await runMigration(this.connections, sql);
      else await connection.executeRaw({ sql, args: [], argTypes: [] });
    };
    return connection;
  }
}

async function withEngine<Result>(
  databaseUrl: string,
  work: (engine: bindings.SchemaEngine) => Promise<Result>,
): Promise<Result> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new MigrationAdapter(pool));
    const engine = await loadEngine().new(
      { datamodels: [[schemaFile, datasource]] },
      () => {},
      adapter,
    );
    return await work(engine).finally(() => engine.free());
  } finally {
    await pool.end();
  }
}

const scriptOf = (name: string): string =>
  readFileSync(path.join(migrationsDirectory, name, "migration.sql"), "utf8");

const migrationScripts = (): string[] => migrationNames().map(scriptOf);

function readMigrations() {
  const migrationDirectories = migrationNames().map((name) => {
    const content = { tag: "ok" as const, value: scriptOf(name) };
    return { path: name, migrationFile: { path: "migration.sql", content } };
  });
  const content = readFileSync(path.join(migrationsDirectory, "migration_lock.toml"), "utf8");
  const lockfile = { path: "migration_lock.toml", content };
  return { baseDir: migrationsDirectory, lockfile, shadowDbInitScript: "", migrationDirectories };
}

/**
 * Applies the migrations that the database does not have yet, as `prisma migrate deploy` does, and
 * again those that an earlier run could not finish. Call it under `withBootLock`, which keeps other
 * processes from doing the same.
 * @returns the names of the migrations that this call applied
 * @throws with an explanation when a migration fails, or was edited after it was applied
 */
export async function applyMigrations(databaseUrl: string): Promise<string[]> {
  if (await isMigrated(databaseUrl)) return [];
  await forgetUnfinished(databaseUrl);
  return withEngine(databaseUrl, async (engine) => {
    const { editedMigrationNames } = await diagnose(engine);
    if (editedMigrationNames.length > 0) throw new Error(editedMigrations(editedMigrationNames));
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: readMigrations(),
      filters,
    });
    return appliedMigrationNames;
  });
}

/**
 * Whether the database has exactly the migrations here, all of them finished. Most starts need only
 * this one statement and do not load the engine.
 */
async function isMigrated(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A broken connection makes the statement fail.
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; checksum: string; isApplied: boolean }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AND rolled_back_at IS NULL AS "isApplied"
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
    );
    const expected = readMigrations().migrationDirectories.map(({ path: name, migrationFile }) => ({
      name,
      checksum: createHash("sha256").update(migrationFile.content.value).digest("hex"),
      isApplied: true,
    }));
    return JSON.stringify(rows) === JSON.stringify(expected);
  } catch {
    // The engine tells a new database from one that cannot be used.
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * A migration that was interrupted has changed nothing, or may run again (run-script.ts). Prisma's
 * engine would refuse every later migration until an operator decides.
 */
async function forgetUnfinished(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query("SELECT to_regclass('_prisma_migrations') AS name");
    if (!rows[0]?.name) return;
    await client.query(
      "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL",
    );
  } finally {
    await client.end();
  }
}

/**
 * Lists the migrations that the database does not have yet, without applying them. `doctor` uses
 * it.
 */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withEngine(databaseUrl, async (engine) => {
    const { history, failedMigrationNames, editedMigrationNames } = await diagnose(engine);
    if (editedMigrationNames.length > 0) throw new Error(editedMigrations(editedMigrationNames));
    const unapplied =
      history && "unappliedMigrationNames" in history ? history.unappliedMigrationNames : [];
    return [...new Set([...failedMigrationNames, ...unapplied])];
  });
}

const diagnose = (engine: bindings.SchemaEngine) =>
  engine.diagnoseMigrationHistory({
    migrationsList: readMigrations(),
    optInToShadowDatabase: false,
    filters,
  });

const editedMigrations = (names: string[]) =>
  `The database was migrated with different versions of ${names.join(", ")} than the files here. Run the release that created it, or start with an empty database.`;

/**
 * The SQL that leads from an older schema to today's. `null` stands for an empty database. The
 * engine compares the two files; it connects to a database only to learn the PostgreSQL version.
 */
export async function diffSchema(databaseUrl: string, older: string | null): Promise<string> {
  const schemaOf = (content: string) => ({
    tag: "schemaDatamodel" as const,
    files: [{ path: schemaFile, content }],
  });
  return withEngine(databaseUrl, async (engine) => {
    const { stdout } = await engine.diff({
      from: older === null ? { tag: "empty" } : schemaOf(older),
      to: schemaOf(readFileSync(schemaFile, "utf8")),
      script: true,
      exitCode: null,
      filters,
    });
    return partition(stdout ?? "");
  });
}

function partition(script: string): string {
  return Object.entries(partitionedBy).reduce(
    (text, [table, column]) =>
      text.replace(
        new RegExp(`(CREATE TABLE "${table}" \\([^;]*\\n\\));`),
        `$1 PARTITION BY RANGE ("${column}");`,
      ),
    script,
  );
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
