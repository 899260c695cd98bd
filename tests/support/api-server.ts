import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { createWebServer } from "@/server/web-server";

/**
 * A running API: our own server, or Next's, which serves the same route files.
 */
export type ApiServer = { url: string; close: (signal?: NodeJS.Signals) => Promise<void> };

/**
 * With `TEST_SERVER=next`, the API tests use `next start` on the built product, otherwise our own
 * server.
 */
export const startApiServer = (): Promise<ApiServer> =>
  process.env.TEST_SERVER === "next" ? startNextServer() : startOwnServer();

async function startOwnServer(): Promise<ApiServer> {
  const server = createWebServer({
    servePages: (_request, response) => response.writeHead(404).end("a page"),
    trustedProxyHops: 0,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Needs the built product. */
export async function startNextServer(): Promise<ApiServer> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: "production",
    NEXTAUTH_URL: "http://localhost:3000",
  };
  const child = spawn(
    process.execPath,
    ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "0"],
    {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (!port) continue;
    child.stdout.resume();
    const close = async (signal: NodeJS.Signals = "SIGTERM") => {
      child.kill(signal);
      await exited;
    };
    const url = `http://127.0.0.1:${port}`;
    // Next reports that it listens before it has loaded its handlers.
    await (await fetch(`${url}/health`)).text();
    return { url, close };
  }
  throw new Error("next start ended before it listened; is the product built?");
}
