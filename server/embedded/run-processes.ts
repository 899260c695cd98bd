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
import { withBootLock } from "../boot-lock";
import { type DemoFile, readJson, writeJson } from "./data-directory";
import { localEnvironment, type StartingDatabase } from "./environment";
import { reachable } from "./listening-port";
import { type LogFile, logFile } from "./log-file";
import { untilReleased } from "./release";
import { type SupervisedProcess, supervise } from "./supervised-process";
import { welcomeWithDemo, welcomeWithoutDemo } from "./welcome";

// What `npm start` does once it has a database. A database in DATABASE_URL may be in production, so
// it gets demo data only with `--demo`.

/** One in DATABASE_URL has started already, and its roles exist. */
export type Database = Pick<StartingDatabase, "ownerUrl" | "databaseUrl"> &
  Partial<StartingDatabase>;

export type Supervisor = {
  isStopping: () => boolean;
  /** Adds a cleanup step. */
  beforeEnd: (step: () => unknown) => void;
};

const isDevelopment = process.argv.includes("--dev");
const isOwnDatabase = !process.env.DATABASE_URL;
const hasGivenAuditKeys = Boolean(process.env.AUDIT_KEYS);
const isDemoWanted = isOwnDatabase || process.argv.includes("--demo");
const readyTimeoutMs = 120_000;
/** After this many failures before the first response, web is considered broken. */
const hopelessFailures = 3;

// The terminal shows warnings and errors. Web and worker write everything to their own files.
if (log.isLevelEnabled("info")) log.level = "warn";

export async function runProcesses(
  port: number,
  { databaseUrl, ownerUrl, applicationPassword, started }: Database,
  supervisor: Supervisor,
): Promise<void> {
  if (supervisor.isStopping()) return;
  Object.assign(process.env, localEnvironment({ port, databaseUrl, isDevelopment }));
  env();
  // Web and worker do not need it.
  delete process.env.MIGRATION_DATABASE_URL;
  // Next's development server cannot wait for its release.
  const early = isDevelopment ? null : startProcesses(port, supervisor);
  await started;
  const booted = await withBootLock(ownerUrl, async () => {
    await applyMigrations(ownerUrl);
    await grantApplicationRole(ownerUrl, databaseUrl, { password: applicationPassword });
    if (!hasGivenAuditKeys) await refuseForeignAuditKeys();
    await requireUsableKeys();
    if (supervisor.isStopping()) return null;
    const { release, ...children } = early ?? startProcesses(port, supervisor);
    release();
    const demo = isDemoWanted
      ? await ensureDemo(readJson<DemoFile>("demo.json"), { isOwnDatabase })
      : null;
    return { ...children, demo, hasOwner: await hasAnyOwner() };
  });
  if (!booted) return;
  const { web, webLog, demo, hasOwner } = booted;
  await flushAnchors();
  await closeDatabase();
  if (!(await isReady(port, web, webLog, supervisor))) return;

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

/**
 * Starts web and worker. They load their code while the database is prepared, and use it once they
 * are released.
 */
function startProcesses(port: number, supervisor: Supervisor) {
  const webLog = logFile("web", { isEchoed: isDevelopment });
  const program = isDevelopment ? nextDev(port) : ["dist/web.js", untilReleased];
  const web = supervise(program, process.env, webLog);
  // Web has METRICS_PORT, and the worker the next one.
  const { METRICS_PORT } = env();
  const ofWorker = METRICS_PORT ? { METRICS_PORT: String(METRICS_PORT + 1) } : {};
  const worker = supervise(
    ["dist/worker.js", untilReleased],
    { ...process.env, ...ofWorker },
    logFile("worker"),
  );
  const childStopMs = (env().SHUTDOWN_TIMEOUT_SECONDS + 1) * 1_000;
  supervisor.beforeEnd(() => Promise.all([web.stop(childStopMs), worker.stop(childStopMs)]));
  const release = () => {
    web.release();
    worker.release();
  };
  return { web, webLog, release };
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

async function isReady(
  port: number,
  web: SupervisedProcess,
  log: LogFile,
  { isStopping }: Supervisor,
): Promise<boolean> {
  for (const deadline = performance.now() + readyTimeoutMs; !isStopping(); await sleep(20)) {
    const response = await fetch(`http://${reachable(env().HOST)}:${port}/health`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
    if (response?.ok) return true;
    if (web.failures() >= hopelessFailures || performance.now() > deadline) {
      throw new Error(
        `The web server did not become ready. The end of ${log.path}:\n${log.lastLines(10)}`,
      );
    }
  }
  return false;
}
