import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DemoFile, Secrets } from "@/server/embedded/data-directory";
import { postgresUrl } from "@/server/embedded/postgres";
import { childrenOf, commandOf, startTimeOf } from "@/server/embedded/process-table";

/** Long, because it rebuilds outdated files. */
const startTimeoutMs = 300_000;

type Options = {
  /** Environment variables in addition to those it needs. */
  environment?: Record<string, string>;
  /** For `npm start` itself. */
  flags?: string[];
  /** Hides the messages of its supervisor about ended processes. The logs contain them, too. */
  isQuiet?: boolean;
};

export type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** Starts the whole product as `npm start` does, on a free port and with its own data. */
export async function startInstallation({
  environment = {},
  flags = [],
  isQuiet = false,
}: Options = {}) {
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-installation-"));
  const supervisor = spawn(process.execPath, ["server/prepare.mjs", "start", ...flags], {
    env: { ...ownEnvironment(), PORT: "0", DATA_DIR: directory, ...environment },
    stdio: ["ignore", "pipe", isQuiet ? "ignore" : "inherit"],
  });
  const ended = once(supervisor, "exit");

  let output = "";
  supervisor.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  for (const deadline = Date.now() + startTimeoutMs; !output.includes("Ctrl-C"); await sleep(100)) {
    if (supervisor.exitCode !== null)
      throw new Error(`The product ended with ${supervisor.exitCode} before it was ready.`);
    if (Date.now() < deadline) continue;
    supervisor.kill("SIGTERM");
    throw new Error("The product did not start in time.");
  }
  const demoFile = path.join(directory, "demo.json");
  // Without demo data there is only an address.
  const demo: DemoFile = existsSync(demoFile)
    ? JSON.parse(readFileSync(demoFile, "utf8"))
    : { url: /http:\/\/localhost:\d+/.exec(output)?.[0] ?? "" };
  const databaseUrl = demo.databaseUrl ?? environment.DATABASE_URL ?? "";

  /**
   * Runs an operator's command on it. @returns what it prints, also if it exits with 1 because of
   * its findings
   */
  const admin = (...command: string[]): string => {
    const env = { ...ownEnvironment(), DATA_DIR: directory, ...environment };
    const { stdout, stderr } = spawnSync(process.execPath, ["dist/admin.js", ...command], {
      env,
      encoding: "utf8",
    });
    if (!stdout) throw new Error(`${command.join(" ")}: ${stderr}`);
    return stdout;
  };

  /** @param isKept leaves its data and logs in place, to be inspected */
  async function stop({ isKept = false } = {}): Promise<void> {
    supervisor.kill("SIGTERM");
    // It limits by itself how long its processes take. Without it, they would still write here.
    await ended;
    if (!isKept) rmSync(directory, { recursive: true, force: true });
  }

  /** A connection as the owner of the tables. */
  const ownerDatabaseUrl = (): string => {
    const { postgresPort = 0, postgresPassword } = secrets();
    return postgresUrl(postgresPort, postgresPassword, "parlance");
  };

  const secrets = (): Secrets =>
    JSON.parse(readFileSync(path.join(directory, "secrets.json"), "utf8"));

  return {
    ...demo,
    databaseUrl,
    output,
    directory,
    pid: supervisor.pid ?? 0,
    admin,
    secrets,
    ownerDatabaseUrl,
    stop,
  };
}

/**
 * Starts the product with this data, and kills its supervisor as soon as `isReached`.
 * @returns the processes that the supervisor had started, and whether each still runs
 */
export async function killStart(
  directory: string,
  isReached: (supervisor: number) => unknown,
): Promise<{ command: string; isRunning: () => boolean }[]> {
  const supervisor = spawn(process.execPath, ["server/prepare.mjs", "start"], {
    env: { ...ownEnvironment(), PORT: "0", DATA_DIR: directory },
    stdio: "ignore",
  });
  const ended = once(supervisor, "exit");
  const pid = supervisor.pid ?? 0;
  while (!(await isReached(pid))) {
    if (supervisor.exitCode !== null)
      throw new Error(`The start ended with ${supervisor.exitCode}.`);
    await sleep(5);
  }
  const children = childrenOf(pid).map((child) => {
    const [command, startedAt] = [commandOf(child), startTimeOf(child)];
    // Nobody may have collected an ended process yet. Its command is empty.
    const isRunning = () => commandOf(child) !== "" && startTimeOf(child) === startedAt;
    return { command, isRunning };
  });
  supervisor.kill("SIGKILL");
  await ended;
  return children;
}

/** Without what a developer's shell, or another test, may have set for a product of its own. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(DATABASE_|MIGRATION_|AUDIT_|UPSTASH_|INNGEST_|NEXTAUTH_|SMTP_|MAIL_|LOOPBACK_|GITHUB_|GOOGLE_|S3_|WEBHOOK_|APP_URL$|BLOB_DIRECTORY$|ERROR_BASE$|HOST$|JOBS$|LOG_LEVEL$|NODE_ENV$|SECRET_KEYS$|SERVICE_PREFIX$|SOLE_WORKER$|TRUSTED_PROXY)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), NODE_ENV: "production" };
}
