import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

type Part = "web" | "worker";

/** The built product's processes on this file's database, for tests that kill them. */
export async function startProduct(environment: Record<string, string> = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: "production",
    LOG_LEVEL: "fatal",
    NEXTAUTH_URL: url,
    HOST: "127.0.0.1",
    PORT: String(port),
    ...environment,
  };
  const running = new Map<Part, ChildProcess>();

  const start = (part: Part) => {
    running.set(part, spawn(process.execPath, [`dist/${part}.js`], { env, stdio: ["ignore", "inherit", "inherit"] }));
  };

  /** `SIGKILL` leaves a process no moment to write anything down. */
  const kill = async (part: Part, signal: NodeJS.Signals = "SIGKILL") => {
    const child = running.get(part);
    running.delete(part);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };

  /** Resolves once web answers. */
  const ready = async () => {
    const deadline = Date.now() + 30_000;
    while (
      !(await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (Date.now() > deadline) throw new Error("web does not answer; is the product built?");
      await sleep(20);
    }
  };

  start("web");
  start("worker");
  await ready();
  return { url, start, kill, ready, stop: () => Promise.all([kill("web"), kill("worker")]) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
