import "./v8-flags";
import { setTimeout as sleep } from "node:timers/promises";
import { flushAnchors } from "@/lib/audit/anchors";
import { foreignAuditKeys } from "@/lib/audit/verify-chain";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { closeDatabase } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { requireUsableKeys } from "@/lib/secrets/service";
import { hasAnyOwner } from "@/lib/users/service";
import { applyMigrations } from "@/prisma/migrate";
import { grantApplicationRole } from "@/prisma/roles";
import { ensureDemo } from "@/prisma/seed";
import { withBootLock } from "./boot-lock";
import { databaseProblem } from "./database-advice";
import { claimDataDirectory, type DemoFile, readJson, writeJson } from "./embedded/data-directory";
import {
  type EmbeddedDatabase,
  localEnvironment,
  startEmbeddedDatabase,
} from "./embedded/environment";
import { freePort, reachable } from "./embedded/listening-port";
import { type LogFile, logFile } from "./embedded/log-file";
import { type SupervisedProcess, supervise } from "./embedded/supervised-process";
import { welcomeWithDemo, welcomeWithoutDemo } from "./embedded/welcome";

// `npm start`: PostgreSQL, web and worker on one machine, with nothing to configure. SIGINT or
// SIGTERM stops all of them. `--dev` uses Next's development server for web. A database in
// DATABASE_URL may be in production, so it gets demo data only with `--demo`.

const isDevelopment = process.argv.includes("--dev");
const isOwnDatabase = !process.env.DATABASE_URL;
const hasGivenAuditKeys = Boolean(process.env.AUDIT_KEYS);
const isDemoWanted = isOwnDatabase || process.argv.includes("--demo");
const readyTimeoutMs = 120_000;
/** After this many failures before the first response, web is considered broken. */
const hopelessFailures = 3;

// The terminal shows warnings and errors. Web and worker write everything to their own files.
if (log.isLevelEnabled("info")) log.level = "warn";

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
  const { databaseUrl, ownerUrl, applicationPassword } = await findDatabase();
  if (isStopping) return;

  Object.assign(process.env, localEnvironment({ port, databaseUrl, isDevelopment }));
  env();
  // Web and worker do not need it.
  delete process.env.MIGRATION_DATABASE_URL;
  const booted = await withBootLock(ownerUrl, async () => {
    await applyMigrations(ownerUrl);
    await grantApplicationRole(ownerUrl, databaseUrl, { password: applicationPassword });
    if (!hasGivenAuditKeys) await refuseForeignAuditKeys();
    await requireUsableKeys();
    if (isStopping) return null;
    const children = startProcesses(port);
    // Runs while web and worker load.
    const demo = isDemoWanted
      ? await ensureDemo(readJson<DemoFile>("demo.json"), { isOwnDatabase })
      : null;
    return { ...children, demo, hasOwner: await hasAnyOwner() };
  });
  if (!booted) return;
  const { web, webLog, demo, hasOwner } = booted;
  await flushAnchors();
  await closeDatabase();
  await waitUntilReady(port, web, webLog);
  if (isStopping) return;

  const url = `http://localhost:${port}`;
  const { MAIL_PAGE_TOKEN } = env();
  const mailPage =
    mailTransport() === "page" && MAIL_PAGE_TOKEN
      ? `${url}${mailPagePath}?token=${MAIL_PAGE_TOKEN}`
      : null;
  // Does not store the password of an operator's own database in a file for trying out the product.
  if (demo)
    writeJson("demo.json", {
      url,
      ...demo,
      mailPage,
      databaseUrl: isOwnDatabase ? databaseUrl : null,
    } satisfies DemoFile);
  process.stdout.write(
    demo
      ? welcomeWithDemo(url, demo, mailPage)
      : welcomeWithoutDemo(url, { isDemoWanted, hasOwner }),
  );
}

function startProcesses(port: number) {
  const webLog = logFile("web", { isEchoed: isDevelopment });
  const web = supervise(isDevelopment ? nextDev(port) : ["dist/web.js"], process.env, webLog);
  // Web has METRICS_PORT, and the worker the next one.
  const { METRICS_PORT } = env();
  const ofWorker = METRICS_PORT ? { METRICS_PORT: String(METRICS_PORT + 1) } : {};
  const worker = supervise(["dist/worker.js"], { ...process.env, ...ofWorker }, logFile("worker"));
  const childStopMs = (env().SHUTDOWN_TIMEOUT_SECONDS + 1) * 1_000;
  undo.push(() => Promise.all([web.stop(childStopMs), worker.stop(childStopMs)]));
  return { web, webLog };
}

async function findDatabase(): Promise<
  Omit<EmbeddedDatabase, "applicationPassword"> & { applicationPassword?: string }
> {
  const { DATABASE_URL, DATABASE_DIRECT_URL, MIGRATION_DATABASE_URL } = process.env;
  if (DATABASE_URL)
    return {
      databaseUrl: DATABASE_URL,
      ownerUrl: MIGRATION_DATABASE_URL || DATABASE_DIRECT_URL || DATABASE_URL,
    };
  const { postgres, ...database } = await startEmbeddedDatabase();
  undo.push(postgres.stop);
  return database;
}

/**
 * A key that this data directory generated must not continue a log that another machine's key
 * started.
 */
async function refuseForeignAuditKeys(): Promise<void> {
  const [foreign] = await foreignAuditKeys();
  if (!foreign) return;
  const advice =
    "Set AUDIT_KEYS to the value of the machine that wrote them; it is in secrets.json of its DATA_DIR";
  throw new Error(
    `The audit log in this database has entries sealed with the key ${foreign}, which this machine does not have. ${advice}.`,
  );
}

function nextDev(port: number): string[] {
  const host = process.env.HOST ? ["--hostname", process.env.HOST] : [];
  return ["node_modules/next/dist/bin/next", "dev", "--port", String(port), ...host];
}

async function waitUntilReady(port: number, web: SupervisedProcess, log: LogFile): Promise<void> {
  for (const deadline = performance.now() + readyTimeoutMs; !isStopping; await sleep(20)) {
    const response = await fetch(`http://${reachable(env().HOST)}:${port}/health`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
    if (response?.ok) return;
    if (web.failures() >= hopelessFailures || performance.now() > deadline) {
      throw new Error(
        `The web server did not become ready. The end of ${log.path}:\n${log.lastLines(10)}`,
      );
    }
  }
}

async function fail(error: unknown): Promise<void> {
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
