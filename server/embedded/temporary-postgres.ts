import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Postgres, startPostgres } from "./postgres";

/**
 * A temporary database, for tests, measurements and for comparing schemas. Unless `settings` say
 * otherwise, it does not survive a crash.
 */
export async function startTemporaryPostgres(
  settings: Record<string, string> = {},
): Promise<Postgres> {
  const parent = mkdtempSync(path.join(tmpdir(), "parlance-"));
  // The user that PostgreSQL runs as must be able to enter.
  chmodSync(parent, 0o755);
  const remove = () => rmSync(parent, { recursive: true, force: true });
  const postgres = await startPostgres({
    directory: path.join(parent, "postgres"),
    password: randomBytes(16).toString("hex"),
    logFile: path.join(parent, "postgres.log"),
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "300",
      ...settings,
    },
  }).catch((error) => {
    remove();
    throw error;
  });
  return { ...postgres, stop: () => postgres.stop().finally(remove) };
}

export async function withTemporaryPostgres<Result>(
  work: (postgres: Postgres) => Promise<Result>,
  settings?: Record<string, string>,
): Promise<Result> {
  const postgres = await startTemporaryPostgres(settings);
  return work(postgres).finally(postgres.stop);
}
