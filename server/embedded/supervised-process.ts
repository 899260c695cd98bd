import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { LogFile } from "./log-file";

export type SupervisedProcess = {
  /** How often it has ended unexpectedly. */
  failures: () => number;
  /** Tells the process, and those that replace it, to continue (release.ts). */
  release: () => void;
  /** Sends SIGTERM, and SIGKILL if it still runs after `withinMs`. */
  stop: (withinMs: number) => Promise<void>;
};

const firstDelayMs = 500;
const longestDelayMs = 10_000;
/** A process that ran this long counts as started, even without its message. */
const startedAfterMs = 60_000;
/** The shortest time between two starts, so that a crash loop does not keep the machine busy. */
const shortestLifeMs = 1_000;

/**
 * Runs a Node program and restarts it whenever it dies: immediately if it had reported that it
 * runs, otherwise after a growing delay.
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
  let isReleased = false;
  let isStopping = false;

  const start = () => {
    const startedAtMs = performance.now();
    // Its own process group: Ctrl-C in the terminal reaches only the supervisor, which stops
    // everything in order.
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
    if (isReleased) sendRelease();
    let hasStarted = false;
    child.once("message", () => {
      hasStarted = true;
    });
    child.on("error", (error) => log.notice(`could not be started or signalled: ${error.message}`));
    child.once("exit", (code, signal) => {
      if (isStopping) return;
      failures++;
      const livedMs = Math.round(performance.now() - startedAtMs);
      const isAccident = hasStarted || livedMs > startedAfterMs;
      const delayMs = isAccident ? Math.max(0, shortestLifeMs - livedMs) : nextDelayMs;
      nextDelayMs = isAccident ? firstDelayMs : Math.min(nextDelayMs * 2, longestDelayMs);
      log.notice(
        `ended unexpectedly (${signal ?? `exit code ${code}`}); it starts again ${delayMs > 0 ? `in ${delayMs / 1000} s` : "immediately"}`,
      );
      timer = setTimeout(start, delayMs);
    });
  };
  const sendRelease = () => child.connected && child.send("released");
  start();

  return {
    failures: () => failures,
    release: () => {
      isReleased = true;
      sendRelease();
    },
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
