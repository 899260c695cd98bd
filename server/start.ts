import "./v8-flags";
import { databaseProblem } from "./database-advice";
import { claimDataDirectory } from "./embedded/data-directory";
import { startEmbeddedDatabase } from "./embedded/environment";
import { freePort } from "./embedded/listening-port";
import type { Postgres } from "./embedded/postgres";
import type { Database } from "./embedded/run-processes";

// `npm start`: PostgreSQL, web and worker on one machine, with nothing to configure. SIGINT or
// SIGTERM stops all of them. `--dev` uses Next's development server for web.

/** Cleanup steps, run in reverse order at the end. */
const undo: (() => unknown)[] = [];
let isStopping = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => void stop(0));
process.on("uncaughtException", (error) => void fail(error));
process.on("unhandledRejection", (error) => void fail(error));
// Killing npm must also stop this process.
const { ppid } = process;
if (process.env.npm_lifecycle_event)
  setInterval(() => process.ppid !== ppid && void stop(0), 1_000).unref();
// The terminal may close before this process ends.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

await run().catch(fail);

async function run(): Promise<void> {
  undo.push(claimDataDirectory());
  const port = await freePort(process.env.PORT || "3000");
  const database = await findDatabase();
  // Most of the program loads while the embedded database starts.
  const { runProcesses } = await import("./embedded/run-processes");
  await runProcesses(port, database, {
    isStopping: () => isStopping,
    beforeEnd: (step) => undo.push(step),
  });
}

async function findDatabase(): Promise<Database> {
  const { DATABASE_URL, DATABASE_DIRECT_URL, MIGRATION_DATABASE_URL } = process.env;
  if (DATABASE_URL)
    return {
      databaseUrl: DATABASE_URL,
      ownerUrl: MIGRATION_DATABASE_URL || DATABASE_DIRECT_URL || DATABASE_URL,
    };
  const database = await startEmbeddedDatabase();
  let postgres: Postgres | undefined;
  // One that is still starting ends with this process.
  undo.push(() => postgres?.stop());
  database.started.then(
    (started) => {
      postgres = started;
    },
    () => {},
  );
  return database;
}

async function fail(error: unknown): Promise<void> {
  if (isStopping) return;
  const message = error instanceof Error ? error.message : String(error);
  const problem = databaseProblem(error, process.env.DATABASE_URL ?? "");
  process.stderr.write(problem ? `The database ${problem}.\n` : `${message}\n`);
  await stop(1);
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const step of undo.reverse()) {
    try {
      await step();
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
    }
  }
  process.exit(exitCode);
}
