import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./processes";
import { findProgram } from "./programs";

export const findPgBouncer = () => findProgram("pgbouncer");

export type PgBouncer = { url: string; stop: () => Promise<void> };

/**
 * A real PgBouncer with transaction pooling in front of a database, with fewer connections than it
 * is requested.
 */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-pgbouncer-"));
  chmodSync(directory, 0o755);
  const listenPort = await freePort();
  const file = path.join(directory, "pgbouncer.ini");
  const options = {
    listen_addr: "127.0.0.1",
    listen_port: listenPort,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    default_pool_size: "5",
    max_client_conn: "200",
    ...settings,
  };
  const lines = Object.entries(options).map(([name, value]) => `${name} = ${value}`);
  const target = `* = host=${hostname} port=${port} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  writeFileSync(file, `[databases]\n${target}\n[pgbouncer]\n${lines.join("\n")}\n`, {
    mode: 0o644,
  });

  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(program, ["-q", ...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const exited = once(child, "exit");
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${listenPort}`;
  for (;;) {
    const client = new pg.Client({ connectionString: url.href });
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (child.exitCode !== null)
        throw new Error(
          `pgbouncer ended with ${child.exitCode}: ${complaints || (error as Error).message}`,
        );
      await sleep(50);
    }
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: url.href, stop };
}
