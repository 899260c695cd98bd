import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startTimeOf } from "./process-table";

/**
 * Where `npm start` stores everything that persists: the database, the secrets, the logs, the demo
 * keys.
 */
export const dataDirectory = path.resolve(process.env.DATA_DIR || ".data");
export const inDataDirectory = (...parts: string[]) => path.join(dataDirectory, ...parts);

/** The content of `demo.json`: everything needed to try the product. */
export type DemoFile = {
  url: string;
  email: string;
  password: string;
  tenant: { id: string; slug: string };
  keys: { test: string; live: string };
  /** Where mails can be read while no mail server is configured; null if that page is closed. */
  mailPage: string | null;
  /** Null if the database is the operator's own. */
  databaseUrl: string | null;
};

/** Values that are generated once, so that sessions and sealed secrets survive a restart. */
export type Secrets = {
  SECRET_KEYS: string;
  NEXTAUTH_SECRET: string;
  MAIL_PAGE_TOKEN: string;
  AUDIT_KEYS: string;
  /**
   * Passwords of the role that owns the embedded database's tables, and of the application's role.
   */
  postgresPassword: string;
  applicationPassword: string;
  postgresPort?: number;
};

export function readJson<Content>(name: string): Content | null {
  try {
    return JSON.parse(readFileSync(inDataDirectory(name), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`${inDataDirectory(name)} cannot be read: ${(error as Error).message}`);
  }
}

/** Readable by its owner only, and never half-written. */
export function writeJson(name: string, content: unknown): void {
  const file = inDataDirectory(name);
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function readOrMakeSecrets(): Secrets {
  const known = readJson<Partial<Secrets>>("secrets.json") ?? {};
  const secrets: Secrets = {
    SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
    MAIL_PAGE_TOKEN: randomBytes(24).toString("base64url"),
    AUDIT_KEYS: randomBytes(32).toString("base64"),
    postgresPassword: randomBytes(24).toString("hex"),
    applicationPassword: randomBytes(24).toString("hex"),
    ...known,
  };
  if (Object.keys(secrets).some((name) => !(name in known))) writeJson("secrets.json", secrets);
  return secrets;
}

type Holder = { pid: number; startedAt: string };

/**
 * Claims the data directory for this process until the returned function is called. The claim of a
 * killed process is ignored.
 * @throws if another process is running
 */
export function claimDataDirectory(): () => void {
  try {
    mkdirSync(inDataDirectory("logs"), { recursive: true });
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(
      `DATA_DIR (${dataDirectory}) cannot be used (${reason}). Set it to a directory that this user may write to.`,
    );
  }
  const file = inDataDirectory("running.json");
  const holder: Holder = { pid: process.pid, startedAt: startTimeOf(process.pid) };
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(holder), { flag: "wx", mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const other = runningSupervisor();
    if (other !== null)
      throw new Error(`Parlance is already running in ${dataDirectory} (process ${other}).`);
    rmSync(file, { force: true });
  }
}

/**
 * The process that runs in this data directory, or null. A file cut short by a crash names no
 * process.
 */
export function runningSupervisor(): number | null {
  try {
    const holder: Holder = JSON.parse(readFileSync(inDataDirectory("running.json"), "utf8"));
    return startTimeOf(holder.pid) === holder.startedAt ? holder.pid : null;
  } catch {
    return null;
  }
}
