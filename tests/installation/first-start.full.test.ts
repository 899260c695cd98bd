import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import type { DemoFile, Secrets } from "@/server/embedded/data-directory";
import { postgresUrl } from "@/server/embedded/postgres";
import { childrenOf, commandOf } from "@/server/embedded/process-table";
import { newDatabase } from "../support/database";
import { killStart, startInstallation } from "../support/installation";

const timeout = 300_000;

async function count(databaseUrl: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client
    .query(`SELECT count(*)::int AS count FROM ${table}`)
    .finally(() => client.end());
  return rows[0].count;
}

test("an external database gets no demo data, and a command creates the first owner", {
  timeout,
}, async () => {
  const DATABASE_URL = await newDatabase({ isEmpty: true });
  const installation = await startInstallation({ environment: { DATABASE_URL }, isQuiet: true });
  for (const table of ["users", "tenants", "api_keys"])
    expect([table, await count(DATABASE_URL, table)]).toEqual([table, 0]);
  expect(existsSync(path.join(installation.directory, "demo.json"))).toBe(false);
  expect(installation.output).toContain("npm run admin -- owner:create --email");
  expect(installation.output).not.toMatch(/prl_(test|live)_/);

  const made = JSON.parse(
    installation.admin("owner:create", "--email", "Ada@example.com", "--organization", "Acme"),
  );
  expect(made).toMatchObject({
    email: "ada@example.com",
    organization: { slug: "acme" },
    setPassword: { url: expect.any(String) },
  });
  const link = await fetch(new URL(new URL(made.setPassword.url).pathname, installation.url));
  expect(await link.text()).toContain("ada@example.com");
  expect(() =>
    installation.admin("owner:create", "--email", "ada@example.com", "--organization", "Again"),
  ).toThrow(/already an account/);
  expect(await count(DATABASE_URL, "tenants")).toBe(1);
  await installation.stop();
});

test("two concurrent first starts on one database create one demo, and no file contains the database's password", {
  timeout,
}, async () => {
  const DATABASE_URL = await newDatabase({ isEmpty: true });
  const { password } = new URL(DATABASE_URL);
  const shared = {
    DATABASE_URL,
    SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    AUDIT_KEYS: randomBytes(32).toString("base64"),
  };
  const start = () => startInstallation({ environment: shared, flags: ["--demo"], isQuiet: true });
  const installations = await Promise.all([start(), start()]);

  const demos = installations.filter(({ keys }) => keys);
  expect(demos).toHaveLength(1);
  // Lines of logs are in files, unless they warn.
  expect(demos[0]?.output).not.toMatch(/^\{"level":[123]0/m);
  expect([
    await count(DATABASE_URL, "users"),
    await count(DATABASE_URL, "tenants"),
    await count(DATABASE_URL, "api_keys"),
  ]).toEqual([1, 1, 2]);
  const file = readFileSync(path.join(demos[0]?.directory ?? "", "demo.json"), "utf8");
  expect(JSON.parse(file).databaseUrl).toBeNull();
  expect(file).not.toContain(password);

  for (const { url } of installations) {
    const response = await fetch(new URL("/v1/public/account", url), {
      headers: { authorization: `Bearer ${demos[0]?.keys.live}` },
    });
    expect(response.status).toBe(200);
  }
  await Promise.all(installations.map((installation) => installation.stop()));

  // A newly generated key must not continue a log that was started with the shared key.
  const { AUDIT_KEYS: _left, ...others } = shared;
  await expect(startInstallation({ environment: others, isQuiet: true })).rejects.toThrow(
    "ended with 1",
  );
});

test("the embedded database's application role cannot truncate the audit log, and the verification detects it if its owner does", {
  timeout,
}, async () => {
  const installation = await startInstallation({ isQuiet: true });
  const run = async (url: string, statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };
  const verify = () => JSON.parse(installation.admin("audit:verify", "--tenant", "demo"));
  for (let made = 0; made < 5; made++)
    installation.admin("key:create", "--tenant", "demo", "--environment", "test");
  const { entries } = verify();
  expect(verify()).toMatchObject({ anchored: entries, broken: null });

  const cut = "DELETE FROM audit_entries WHERE sequence > 3";
  await expect(run(installation.databaseUrl, cut)).rejects.toMatchObject({ code: "42501" });
  await expect(
    run(installation.databaseUrl, `SET session_replication_role = replica; ${cut}`),
  ).rejects.toMatchObject({ code: "42501" });
  expect(verify()).toMatchObject({ entries, broken: null });

  await run(installation.ownerDatabaseUrl(), `SET session_replication_role = replica; ${cut}`);
  expect(verify()).toMatchObject({
    entries: 3,
    anchored: entries,
    broken: { sequence: 4, reason: expect.stringContaining("cut off") },
  });
  expect(installation.admin("doctor")).toContain("the application's role cannot alter it");
  await installation.stop();
});

test("a first start that is killed at any step is completed by the next one, and no process outlives it", {
  timeout,
}, async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-killed-"));
  const isThere = (name: string) => existsSync(path.join(directory, name));
  const contentOf = (name: string) =>
    isThere(name) ? readFileSync(path.join(directory, name), "utf8") : "";
  const countOf = async (table: string) => {
    const { postgresPort, postgresPassword }: Secrets = JSON.parse(
      contentOf("secrets.json") || "{}",
    );
    const url = postgresUrl(postgresPort ?? 0, postgresPassword, "parlance");
    return postgresPort ? count(url, table).catch(() => 0) : 0;
  };
  const steps: [string, (supervisor: number) => unknown][] = [
    ["initdb runs", () => isThere("postgres.new/PG_VERSION")],
    ["initdb has nearly ended", () => isThere("postgres.new/base/5/PG_VERSION")],
    ["initdb has ended", () => isThere("postgres")],
    ["PostgreSQL is known to start", () => /postgresPort/.test(contentOf("secrets.json"))],
    ["web loads", (pid) => childrenOf(pid).some((child) => commandOf(child).includes("web.js"))],
    ["some migrations are applied", async () => (await countOf("_prisma_migrations")) > 10],
    ["the demo has its tenant", async () => (await countOf("tenants")) > 0],
    ["web listens", () => /web is listening/.test(contentOf("logs/web.log"))],
  ];
  const started: Awaited<ReturnType<typeof killStart>> = [];
  for (const [, isReached] of steps) started.push(...(await killStart(directory, isReached)));

  const installation = await startInstallation({
    environment: { DATA_DIR: directory },
    isQuiet: true,
  });
  const { keys }: DemoFile = JSON.parse(contentOf("demo.json"));
  const response = await fetch(new URL("/v1/public/account", installation.url), {
    headers: { authorization: `Bearer ${keys.test}` },
  });
  expect(response.status).toBe(200);
  expect([await countOf("users"), await countOf("tenants")]).toEqual([1, 1]);
  const running = () => started.filter(({ isRunning }) => isRunning());
  await expect.poll(() => running().map(({ command }) => command)).toEqual([]);
  await installation.stop();
  expect(isThere("postgres.new")).toBe(false);
  rmSync(directory, { recursive: true, force: true });
});
