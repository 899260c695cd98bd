import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
