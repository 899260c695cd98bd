import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { applyMigrations } from "@/prisma/migrate";
import { ensureDatabase, startPostgres } from "@/server/embedded/postgres";

const database = "parlance";
/** A replica starts without these files of the primary. */
const leftOut = /^(pg_wal\/.+|pg_replslot\/.+|postmaster\.(pid|opts))$/;

export type ReplicatedPostgres = Awaited<ReturnType<typeof startReplicatedPostgres>>;

/**
 * A primary with one streaming replica, both from the embedded binaries. The copy is made through
 * SQL, because the packages do not contain `pg_basebackup`.
 * @param isSynchronous a commit is acknowledged only once the replica has stored it
 */
export async function startReplicatedPostgres({
  isSynchronous = false,
  settings: own = {} as Record<string, string>,
} = {}) {
  const parent = mkdtempSync(path.join(tmpdir(), "parlance-replicated-"));
  chmodSync(parent, 0o755);
  const password = randomBytes(16).toString("hex");
  const settings = {
    full_page_writes: "off",
    fsync: "off",
    max_connections: "200",
    wal_sender_timeout: "0",
    ...own,
  };
  const optionsOf = (name: string) => ({
    directory: path.join(parent, name),
    password,
    logFile: path.join(parent, `${name}.log`),
  });
  const primary = await startPostgres({ ...optionsOf("primary"), settings });
  await ensureDatabase(primary, database);
  await applyMigrations(primary.url(database));
  const url = primary.url(database);
  await copyCluster(url, optionsOf("primary").directory, optionsOf("replica").directory);
  const source = new URL(primary.url("postgres"));
  const conninfo = `host=127.0.0.1 port=${source.port} user=${source.username} password=${source.password} application_name=replica`;
  const startReplica = (others: Parameters<typeof startPostgres>[0]["settings"], port?: number) =>
    startPostgres({
      ...optionsOf("replica"),
      ...(port && { preferredPort: port }),
      settings: {
        ...{ ...settings, primary_conninfo: conninfo, primary_slot_name: "replica" },
        ...others,
      },
    });
  let replica = await startReplica({});
  const { port } = replica;
  if (isSynchronous) {
    await onDatabase(url, "ALTER SYSTEM SET synchronous_standby_names = 'replica'");
    await onDatabase(url, "SELECT pg_reload_conf()");
  }
  return {
    primaryUrl: url,
    replicaUrl: replica.url(database),
    /** Kills the replica's processes, and starts it again. Resolves when it accepts connections. */
    crashReplica: async (others: Record<string, string> = {}) => {
      await replica.kill();
      replica = await startReplica(others, port);
    },
    /** Kills the primary's processes, as when its machine fails. It does not come back. */
    kill: primary.kill,
    stop: async () => {
      await Promise.all([replica.stop(), primary.stop()]);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The slot retains the log that the replica has not fetched yet.
    await client.query("SELECT pg_create_physical_replication_slot('replica', true)");
    await client.query("SELECT pg_backup_start('replica', true)");
    cpSync(from, to, {
      recursive: true,
      filter: (file) => !leftOut.test(path.relative(from, file)),
    });
    const { rows } = await client.query(
      "SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)",
    );
    writeFileSync(path.join(to, "backup_label"), rows[0].labelfile);
    writeFileSync(path.join(to, "standby.signal"), "");
  } finally {
    await client.end();
  }
  giveTo(to, statSync(from));
}

/** Under root, PostgreSQL runs as another user, and `cpSync` does not preserve the owner. */
function giveTo(directory: string, { uid, gid }: { uid: number; gid: number }): void {
  for (const file of ["", ...readdirSync(directory, { recursive: true, encoding: "utf8" })])
    chownSync(path.join(directory, file), uid, gid);
  chmodSync(directory, 0o700);
}

/** Runs one statement with a connection of its own. */
export async function onDatabase<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<Row>(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
