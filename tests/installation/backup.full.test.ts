import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installation, startInstallation } from "../support/installation";
import { startReceiver } from "../support/receiver";

const parent = mkdtempSync(path.join(tmpdir(), "parlance-backup-"));
const backup = path.join(parent, "backup");
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
  rmSync(parent, { recursive: true, force: true });
});

type Finished = { status: number; output: string; problem: string };

/** An operator's command, with nothing of this process's environment. */
const admin = (args: string[], environment: Record<string, string>) =>
  new Promise<Finished>((resolve) => {
    const env: NodeJS.ProcessEnv = {
      NODE_ENV: "production",
      PATH: process.env.PATH,
      ...environment,
    };
    const child = execFile(
      process.execPath,
      ["dist/admin.js", ...args],
      { env },
      (_, output, problem) => resolve({ status: child.exitCode ?? 1, output, problem }),
    );
  });

let key = "";
let keys = { SECRET_KEYS: "", AUDIT_KEYS: "" };
let knowledgeBaseId = "";
const acknowledged = { before: [] as string[], during: [] as string[] };

async function call(url: string, method: string, route: string, body?: object) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/v1/public${route}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && !isForm && { "Content-Type": "application/json" }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  expect([route, response.ok]).toEqual([route, true]);
  return response.json();
}

beforeAll(async () => {
  const first = await startInstallation();
  undo.push(first.stop);
  const made = first.admin(
    ...["key:create", "--tenant", "demo", "--environment", "test"],
    ...["--name", "Backup", "--rate-limit", "100000"],
  );
  key = JSON.parse(made).key;
  keys = first.secrets();
  const receiver = await startReceiver();
  undo.push(receiver.close);
  await call(first.url, "POST", "/webhooks", { url: receiver.url, events: ["document.ready"] });
  const base = await call(first.url, "POST", "/knowledge-bases", { name: "Manuals" });
  knowledgeBaseId = base.id;
  const form = new FormData();
  form.set("file", new Blob(["How to descale the machine"], { type: "text/plain" }), "a.txt");
  await call(first.url, "POST", `/knowledge-bases/${base.id}/documents`, form);
  await receiver.received(1);

  const write = async (into: string[]) => {
    const { id } = await call(first.url, "POST", "/conversations", { channelId: "web" });
    into.push(id);
  };
  for (let number = 0; number < 30; number++) await write(acknowledged.before);
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) await write(acknowledged.during);
  })();
  const backedUp = await admin(["backup", "--to", backup], { DATA_DIR: first.directory });
  isWriting = false;
  await writing;
  expect([backedUp.status, backedUp.problem]).toEqual([0, ""]);
  expect(JSON.parse(backedUp.output)).toMatchObject({ directory: backup, uploads: 1 });
  await first.stop();
});

async function startRestored(directory: string): Promise<Installation> {
  const started = await startInstallation({ environment: { DATA_DIR: directory } });
  undo.push(started.stop);
  return started;
}

test("a backup is made while requests are served, and only its owner can read it", async () => {
  expect(acknowledged.during.length).toBeGreaterThan(0);
  for (const place of ["", "backup.json", "postgres", "postgres/PG_VERSION", "files"])
    expect([place, statSync(path.join(backup, place)).mode & 0o077]).toEqual([place, 0]);
  expect(existsSync(`${backup}.unfinished`)).toBe(false);
});

test("restoring without SECRET_KEYS, or with another key, says which key is needed", async () => {
  const fresh = { DATA_DIR: path.join(parent, "refused") };
  const without = await admin(["restore", "--from", backup], fresh);
  expect(without.status).toBe(1);
  expect(without.problem).toMatch(
    /^This backup does not contain the keys that decrypt its webhook secrets \(k1-[0-9a-f]{8}\)\. Set SECRET_KEYS and AUDIT_KEYS/,
  );
  const another = { ...keys, SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}` };
  const wrong = await admin(["restore", "--from", backup], { ...fresh, ...another });
  expect(wrong.status).toBe(1);
  expect(wrong.problem).toMatch(
    /^SECRET_KEYS cannot decrypt this backup: it needs k1-[0-9a-f]{8}, and SECRET_KEYS has k1-/,
  );
});

test("everything that was acknowledged before the backup is found after a restore", async () => {
  const directory = path.join(parent, "restored");
  const { SECRET_KEYS, AUDIT_KEYS } = keys;
  const environment = { DATA_DIR: directory, SECRET_KEYS, AUDIT_KEYS };
  const restored = await admin(["restore", "--from", backup], environment);
  expect([restored.status, restored.problem]).toEqual([0, ""]);
  expect(JSON.parse(restored.output)).toMatchObject({ directory, documents: 1 });
  const again = await admin(["restore", "--from", backup], environment);
  expect(again.problem).toMatch(/has a database already/);

  const { url } = await startRestored(directory);
  for (const id of acknowledged.before) await call(url, "GET", `/conversations/${id}`);
  const { data: webhooks } = await call(url, "GET", "/webhooks");
  expect(webhooks).toHaveLength(1);
  const search = await call(url, "GET", `/knowledge-bases/${knowledgeBaseId}/search?q=descale`);
  expect(search.data[0].text).toContain("descale");
  const { data: events } = await call(url, "GET", "/events?limit=100");
  expect(events.length).toBeGreaterThan(acknowledged.before.length);

  // The uploaded file itself is there, the restored webhook can be signed, and the log is whole.
  const receiver = await startReceiver();
  undo.push(receiver.close);
  await call(url, "PATCH", `/webhooks/${webhooks[0].id}`, { url: receiver.url });
  const { data: documents } = await call(
    url,
    "GET",
    `/knowledge-bases/${knowledgeBaseId}/documents`,
  );
  expect(documents).toMatchObject([{ status: "READY" }]);
  const form = new FormData();
  form.set("file", new Blob(["How to fill the machine"], { type: "text/plain" }), "b.txt");
  await call(url, "POST", `/knowledge-bases/${knowledgeBaseId}/documents`, form);
  await receiver.received(1);
  const doctor = await admin(["doctor"], { DATA_DIR: directory });
  expect(doctor.output).toMatch(/^ok +event feed: in order$/m);
  expect(doctor.output).toMatch(/^ok +secrets at rest: /m);
  const verified = await admin(["audit:verify", "--tenant", "demo"], { DATA_DIR: directory });
  expect([verified.status, verified.problem]).toEqual([0, ""]);
});

test("a restore replaces no uploaded files, and says where they are", async () => {
  const directory = path.join(parent, "with-files");
  const kept = path.join(directory, "blobs/kept");
  mkdirSync(kept, { recursive: true });
  writeFileSync(path.join(kept, "own"), "");
  const refused = await admin(["restore", "--from", backup], { DATA_DIR: directory, ...keys });
  expect([refused.status, refused.problem]).toEqual([
    1,
    expect.stringContaining(`${kept} has files already.`),
  ]);
  expect(readdirSync(directory)).toEqual(["blobs"]);
});

test("a damaged backup is not restored", async () => {
  appendFileSync(path.join(backup, "postgres/PG_VERSION"), "\n");
  const directory = path.join(parent, "damaged");
  const { SECRET_KEYS, AUDIT_KEYS } = keys;
  const damaged = await admin(["restore", "--from", backup], {
    DATA_DIR: directory,
    SECRET_KEYS,
    AUDIT_KEYS,
  });
  expect(damaged.problem).toMatch(/^The backup is damaged: postgres\/PG_VERSION/);
  expect(existsSync(path.join(directory, "postgres"))).toBe(false);
  expect(existsSync(path.join(directory, "restoring"))).toBe(false);
});
