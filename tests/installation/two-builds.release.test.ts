import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serverActionsKey } from "@/lib/auth/server-actions-key";
import { freePort } from "../support/processes";

// Two machines behind one load balancer, which each built the same commit in directories with
// different names.

const timeout = 1_800_000;
const parent = mkdtempSync(path.join(tmpdir(), "parlance-builds-"));
const directories = ["one", "somewhere/quite/else"].map((name) => path.join(parent, name));
const stops: (() => Promise<unknown>)[] = [];
let urls: string[] = [];

beforeAll(async () => {
  for (const directory of directories) {
    mkdirSync(directory, { recursive: true });
    const files = execFileSync("git", [
      "ls-files",
      "-z",
      "--cached",
      "--others",
      "--exclude-standard",
    ]);
    execFileSync("cp", [
      "--parents",
      "--no-dereference",
      "-t",
      directory,
      ...files.toString().split("\0").filter(Boolean),
    ]);
    // Hard links cost neither time nor space. On another file system, this has to be a
    // copy.
    try {
      execFileSync("cp", ["-al", "node_modules", directory], { stdio: "ignore" });
    } catch {
      execFileSync("cp", ["-a", "node_modules", directory]);
    }
    execFileSync(process.execPath, ["server/prepare.mjs", "build"], {
      cwd: directory,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  urls = await Promise.all(directories.map(startWeb));
}, timeout);
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(parent, { recursive: true, force: true });
});

async function startWeb(directory: string): Promise<string> {
  const port = await freePort();
  const address = {
    PORT: String(port),
    HOST: "127.0.0.1",
    NEXTAUTH_URL: "http://127.0.0.1",
    TRUSTED_PROXY_HOPS: "0",
  };
  const web = spawn(process.execPath, ["dist/web.js"], {
    cwd: directory,
    env: {
      ...process.env,
      ...address,
      NODE_ENV: "production",
      LOG_LEVEL: "fatal",
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "a@example.com",
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(web, "exit");
  stops.push(() => {
    web.kill("SIGKILL");
    return exited;
  });
  await Promise.race([
    once(web, "message"),
    exited.then(() => Promise.reject(new Error("web ended before it ran"))),
  ]);
  return `http://127.0.0.1:${port}`;
}

const read = (directory: string | undefined, file: string) =>
  readFileSync(path.join(directory ?? "", ".next", file), "utf8");

test("two builds of one commit have the same build id, server action ids and file names", () => {
  const [first, second] = directories;
  expect(read(first, "BUILD_ID")).toBe(read(second, "BUILD_ID"));
  const actions = directories.map((directory) =>
    Object.keys(JSON.parse(read(directory, "server/server-reference-manifest.json")).node).sort(),
  );
  expect(actions[0]?.length).toBeGreaterThan(20);
  expect(actions[0]).toEqual(actions[1]);
  const files = directories.map((directory) =>
    readdirSync(path.join(directory, ".next/static"), { recursive: true }).map(String).sort(),
  );
  expect(files[0]).toEqual(files[1]);
});

test("encryption keys are derived from the secrets at run time, and are not part of a build", () => {
  const { encryptionKey } = JSON.parse(
    read(directories[0], "server/server-reference-manifest.json"),
  );
  expect(Buffer.from(serverActionsKey(), "base64")).toHaveLength(32);
  expect(serverActionsKey()).not.toBe(encryptionKey);
});

test("a form that one web rendered is accepted by the other", async () => {
  for (const [from, to] of [urls, urls.toReversed()]) {
    const page = await (await fetch(`${from}/password`)).text();
    const form = new FormData();
    const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)];
    expect(hidden.some(([, name]) => name?.startsWith("$ACTION"))).toBe(true);
    for (const [, name = "", value = ""] of hidden)
      form.set(name, value.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
    form.set("email", "ada@example.com");
    const response = await fetch(`${to}/password`, { method: "POST", body: form });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("ada@example.com");
  }
});
