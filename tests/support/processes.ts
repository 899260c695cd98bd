import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type RunningProcess = {
  pid: number;
  /** Resolves with the exit code once it has ended; null if the signal itself ended it. */
  end: (signal?: NodeJS.Signals) => Promise<number | null>;
};

/**
 * A worker of the built product, on this file's database unless the environment names another.
 * Resolves when it runs.
 */
export function startWorker(environment: Record<string, string> = {}): Promise<RunningProcess> {
  return start("worker", environment);
}

/** Likewise a web process, on its own port. */
export async function startWeb(
  environment: Record<string, string> = {},
): Promise<RunningProcess & { url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return {
    ...(await start("web", {
      PORT: String(port),
      HOST: "127.0.0.1",
      NEXTAUTH_URL: url,
      ...environment,
    })),
    url,
  };
}

async function start(
  part: "web" | "worker",
  environment: Record<string, string>,
): Promise<RunningProcess> {
  const child = spawn(process.execPath, [`dist/${part}.js`], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      LOG_LEVEL: "fatal",
      NEXTAUTH_URL: "http://127.0.0.1",
      ...environment,
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  await Promise.race([
    once(child, "message"),
    exited.then(([code]) => {
      throw new Error(`${part} ended with ${code} before it ran; is the product built?`);
    }),
  ]);
  const end = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return (await exited)[0];
  };
  return { pid: child.pid ?? 0, end };
}

/**
 * A program that serves at `url`. Resolves when it responds, and rejects with what it printed if it
 * ends before.
 */
export async function startServing(
  command: string,
  args: string[],
  url: string,
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<ChildProcess> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "inherit", "pipe"] });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    process.stderr.write(text);
  });
  let hasEnded = false;
  child.once("close", () => {
    hasEnded = true;
  });
  while (!(await fetch(url).catch(() => null))) {
    if (hasEnded) throw new Error(`${command} ended before it responded:\n${printed}`);
    await sleep(50);
  }
  return child;
}

// Below the ports that Linux, macOS and Windows choose for sockets that name none, and apart for each
// worker of vitest, so that nothing else takes a port between its choice and its use.
let nextPort = 20_000 + Number(process.env.VITEST_POOL_ID ?? 0) * 2_000 + randomInt(1_000);

/** A port of 127.0.0.1 that is not in use, another one on each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
