import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// On Linux, /proc has the facts even if `ps` is not installed. Elsewhere, `ps` has them.

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

/** The command line of a running process; empty if there is none. */
export function commandOf(pid: number): string {
  return ask(pid, () => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "), "args");
}

/**
 * When a running process started, in the system's notation; empty if there is none. Distinguishes a
 * process from a later one with the same id.
 */
export function startTimeOf(pid: number): string {
  // The name in parentheses may contain spaces. Of the fields after it, the twentieth is the start
  // time.
  const fromProc = () =>
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? "";
  return ask(pid, fromProc, "lstart");
}

/** The ids of a process's running children. */
export function childrenOf(pid: number): number[] {
  const list =
    process.platform === "linux"
      ? ask(pid, () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), "pid")
      : execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  return list.split(/\s+/).filter(Boolean).map(Number);
}
