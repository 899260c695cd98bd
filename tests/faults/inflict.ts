import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { childrenOf, commandOf } from "@/server/embedded/process-table";
import type { Installation } from "../support/installation";

export const parts = ["web", "worker"] as const;
export type Part = (typeof parts)[number];

/**
 * Ways in which PostgreSQL stops suddenly: an immediate shutdown, a kill, or a kill of one of its
 * processes.
 */
export const crashes = ["immediate shutdown", "postmaster killed", "backend killed"] as const;
export type Crash = (typeof crashes)[number];

const pollMs = 5;
const patienceMs = 120_000;

/** The running processes. A process id of 0 means that the process is being started. */
export function pidOf({ pid }: Installation, part: Part): number {
  return childrenOf(pid).find((child) => commandOf(child).includes(`dist/${part}.js`)) ?? 0;
}

/**
 * `kill -9`, as soon as there is a process other than the one that was killed before.
 * @returns the process id, to be given the next time
 */
export async function killPart(
  installation: Installation,
  part: Part,
  killedBefore: number,
): Promise<number> {
  const pid = await until(`${part} runs`, () => {
    const found = pidOf(installation, part);
    return found !== killedBefore && found;
  });
  process.kill(pid, "SIGKILL");
  return pid;
}

/** @returns once the database responds again */
export async function crashDatabase(
  { directory, databaseUrl }: Installation,
  crash: Crash,
): Promise<void> {
  const postmaster = Number(
    readFileSync(path.join(directory, "postgres/postmaster.pid"), "utf8").split("\n")[0],
  );
  const witness = new pg.Client({ connectionString: databaseUrl });
  const lost = new Promise<void>((resolve) =>
    witness.on("error", () => resolve()).on("end", () => resolve()),
  );
  await witness.connect();
  const { rows } = await witness.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  if (crash === "backend killed") process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  else process.kill(postmaster, crash === "postmaster killed" ? "SIGKILL" : "SIGQUIT");
  await lost;
  await until("the database responds", () => responds(databaseUrl));
}

async function responds(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 1_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Polls until the result is neither false nor zero. */
export async function until<Found>(
  what: string,
  find: () => Found | Promise<Found>,
  { withinMs = patienceMs, everyMs = pollMs }: { withinMs?: number; everyMs?: number } = {},
): Promise<Exclude<Found, false | 0 | null | undefined>> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(everyMs)) {
    const found = await find();
    if (found) return found as Exclude<Found, false | 0 | null | undefined>;
  }
  throw new Error(`waited ${withinMs / 1000} s in vain until ${what}`);
}
