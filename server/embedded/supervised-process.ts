import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { LogFile } from "./log-file";

export type SupervisedProcess = {
  /** How often it has ended without being asked to. */
  failures: () => number;
  /** SIGTERM, and SIGKILL to what is still there when the time is over. */
  stop: (withinMs: number) => Promise<void>;
};

const firstDelayMs = 500;
const longestDelayMs = 10_000;
/** Whoever lived this long did start, also where it does not say so. */
const startedAfterMs = 60_000;
/** Between two starts at the least: what ends again and again must not keep the machine busy. */
const shortestLifeMs = 1_000;

/**
 * Runs a Node program and starts it again whenever it dies: at once where it had sent the message
 * that it runs, and a little later each time where it does not get that far.
 */
export function supervise(
  program: string[],
  environment: NodeJS.ProcessEnv,
  log: LogFile,
): SupervisedProcess {
  const guard = pathToFileURL(path.resolve("server/embedded/exit-with-supervisor.mjs")).href;
  let child: ChildProcess;
  let timer: NodeJS.Timeout | undefined;
  let nextDelayMs = firstDelayMs;
  let failures = 0;
  let isStopping = false;

  const start = () => {
    const startedAtMs = Date.now();
    // A process group of its own: Ctrl-C in the terminal reaches the supervisor, which stops things
    // in order.
    const stdio = ["ignore", "pipe", "pipe", "ipc"] as ("ignore" | "pipe" | "ipc")[];
    child = spawn(process.execPath, ["--import", guard, ...program], {
      env: environment,
      detached: true,
      stdio,
    });
    for (const stream of ["stdout", "stderr"] as const) {
      const input = child[stream];
      if (input) createInterface({ input }).on("line", (line) => log.write(line, stream));
    }
    let hasStarted = false;
    child.once("message", () => {
      hasStarted = true;
    });
    child.on("error", (error) => log.notice(`could not be started or signalled: ${error.message}`));
    child.once("exit", (code, signal) => {
      if (isStopping) return;
      failures++;
      const livedMs = Date.now() - startedAtMs;
      const isAccident = hasStarted || livedMs > startedAfterMs;
      const delayMs = isAccident ? Math.max(0, shortestLifeMs - livedMs) : nextDelayMs;
      nextDelayMs = isAccident ? firstDelayMs : Math.min(nextDelayMs * 2, longestDelayMs);
      log.notice(
        `ended unexpectedly (${signal ?? `exit code ${code}`}); it starts again ${delayMs > 0 ? `in ${delayMs / 1000} s` : "at once"}`,
      );
      timer = setTimeout(start, delayMs);
    });
  };
  start();

  return {
    failures: () => failures,
    stop: async (withinMs) => {
      isStopping = true;
      clearTimeout(timer);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const deadline = setTimeout(() => child.kill("SIGKILL"), withinMs);
      await ended;
      clearTimeout(deadline);
    },
  };
}
