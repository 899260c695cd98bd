import { readFileSync } from "node:fs";
import pg from "pg";
import { childrenOf } from "@/server/embedded/process-table";

// What processes cost, from /proc. CPU time is steadier than a rate on a machine that others use
// too.

const ticksPerSecond = 100;

/** User and system time of a process so far, without its children. */
export function cpuMicroseconds(pid: number): number {
  const fields = statOf(pid);
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

/** The same with all of its children, including those that have ended. */
export function treeCpuMicroseconds(pid: number): number {
  const fields = statOf(pid);
  const ended = ((Number(fields[13]) + Number(fields[14])) * 1_000_000) / ticksPerSecond;
  return childrenOf(pid).reduce(
    (sum, child) => sum + treeCpuMicroseconds(child),
    cpuMicroseconds(pid) + ended,
  );
}

/** The fields after the name; all of them "0" for a process that has ended. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return Array(50).fill("0");
  }
}

export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

/** Of a process and its children. Memory that they share counts once. */
export function treeMegabytes(pid: number): number {
  const own = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = Number(/^Pss:\s+(\d+)/m.exec(own)?.[1] ?? 0) / 1_024;
  return Math.round(childrenOf(pid).reduce((sum, child) => sum + treeMegabytes(child), megabytes));
}

/** The process that all sessions of a PostgreSQL server on this machine are children of. */
export async function postmasterPid(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  const parent = Number(statOf(rows[0].pid)[1]);
  await client.end();
  return parent;
}

/** A clock that all processes of this machine share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
