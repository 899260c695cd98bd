import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export type Worker = Awaited<ReturnType<typeof startWorker>>;

/**
 * One of the built product's workers on this file's database. Several are several machines, for all
 * that they know.
 */
export async function startWorker(environment: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, ["dist/worker.js"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      NEXTAUTH_URL: "http://127.0.0.1",
      LOG_LEVEL: "info",
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const running = new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      lines.push(...text.split("\n"));
      if (text.includes("the worker is running")) resolve();
    });
    child.once("exit", (code) =>
      reject(
        new Error(
          `the worker ended with ${code} before it ran; is the product built?\n${lines.join("\n")}`,
        ),
      ),
    );
  });
  await running;

  /** @returns its exit code, or the signal that ended it */
  async function end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    }
    return child.exitCode ?? child.signalCode;
  }

  return { end, log: () => lines.join("\n") };
}
