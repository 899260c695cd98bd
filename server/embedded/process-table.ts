import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// Linux tells in /proc, also where no `ps` is installed; elsewhere `ps` does.

function ask(pid: number, fromProc: () => string, psColumn: string): string {
  if (!Number.isInteger(pid) || pid <= 0) return "";
  try {
    if (process.platform === "linux") return fromProc();
    return execFileSync("ps", ["-ww", "-o", `${psColumn}=`, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

/** The command line of a running process, empty when there is none. */
export function commandOf(pid: number): string {
  return ask(pid, () => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "), "args");
}

/**
 * When a running process began, in whatever notation: a process id that was given out anew has
 * another one. Empty when none runs.
 */
export function startOf(pid: number): string {
  // The fields after the name in parentheses, which may hold spaces; the twentieth of them is the
  // start.
  const fromProc = () =>
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? "";
  return ask(pid, fromProc, "lstart");
}

/** The process ids of the processes that a running one has started, and that have not ended. */
export function childrenOf(pid: number): number[] {
  const list =
    process.platform === "linux"
      ? ask(pid, () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), "pid")
      : execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  return list.split(/\s+/).filter(Boolean).map(Number);
}
