import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";

// A share of a core for one process, by a control group of Linux. It shows what a second worker
// brings when PostgreSQL and the receiver do not need the same core.

const periodMicroseconds = 10_000;
const isFirstVersion = existsSync("/sys/fs/cgroup/cpu/cgroup.procs");
const pathOf = (name: string | number) =>
  `/sys/fs/cgroup/${isFirstVersion ? "cpu/" : ""}parlance-bench-${name}`;

/** Whether this process may limit others, which takes Linux and root. */
export function canLimitCpu(): boolean {
  const group = pathOf("probe");
  try {
    mkdirSync(group);
  } catch {
    return false;
  }
  const hasLimit = existsSync(`${group}/${isFirstVersion ? "cpu.cfs_quota_us" : "cpu.max"}`);
  rmdirSync(group);
  return hasLimit;
}

/**
 * Limits a process and its threads to a share of a core, such as 0.3. Returns how to remove the
 * limit once the process has ended.
 */
export function limitCpu(pid: number, share: number): () => void {
  const group = pathOf(pid);
  const quota = Math.round(periodMicroseconds * share);
  mkdirSync(group);
  if (isFirstVersion) {
    writeFileSync(`${group}/cpu.cfs_period_us`, String(periodMicroseconds));
    writeFileSync(`${group}/cpu.cfs_quota_us`, String(quota));
  } else writeFileSync(`${group}/cpu.max`, `${quota} ${periodMicroseconds}`);
  writeFileSync(`${group}/cgroup.procs`, String(pid));
  return () => rmdirSync(group);
}
