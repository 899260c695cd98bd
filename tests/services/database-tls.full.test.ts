import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { closeDatabase, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { applyMigrations } from "@/prisma/migrate";
import { requireMigrations } from "@/prisma/require-migrations";
import { examineDatabase } from "@/server/admin/examine-database";
import { ensureDatabase, type Postgres, startPostgres } from "@/server/embedded/postgres";
import { actInDatabase } from "../support/act-in-database";
import { call, newTenant } from "../support/api";
import { newCertificateAuthority } from "../support/certificate-authority";
import { onDatabase } from "../support/replicated-postgres";

// PostgreSQL accepts only connections with TLS here. Its certificate is from a private authority.

const authority = newCertificateAuthority("Parlance test authority");
const stranger = newCertificateAuthority("Another authority");
const ownDatabase = env().DATABASE_URL;
let directory: string;
let server: Postgres;

const file = (name: string) => path.join(directory, name);
const withTls = (parameters: string) => `${server.url("parlance")}?${parameters}`;
const trusted = () => withTls(`sslmode=verify-full&sslrootcert=${file("authority.pem")}`);
const named = (url: string, host: string) => url.replace("@127.0.0.1:", `@${host}:`);

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "parlance-tls-"));
  chmodSync(directory, 0o755);
  writeFileSync(file("authority.pem"), authority.certificate);
  writeFileSync(file("stranger.pem"), stranger.certificate);
  server = await startPostgres({
    directory: file("cluster"),
    password: "for-this-test",
    logFile: file("log"),
    settings: { fsync: "off" },
  });
  await ensureDatabase(server, "parlance");
  const { uid, gid } = statSync(file("cluster"));
  const { certificate, key } = authority.issue(["127.0.0.1"]);
  for (const [name, text] of Object.entries({
    "server.crt": certificate,
    "server.key": key,
    "pg_hba.conf": "hostssl all all 127.0.0.1/32 scram-sha-256\n",
  })) {
    writeFileSync(file(`cluster/${name}`), text, { mode: 0o600 });
    chownSync(file(`cluster/${name}`), uid, gid);
  }
  await onDatabase(server.url("parlance"), "ALTER SYSTEM SET ssl = on");
  await onDatabase(server.url("parlance"), "SELECT pg_reload_conf()");
  await vi.waitFor(
    () => expect(onDatabase(server.url("parlance"), "SELECT 1")).rejects.toThrow(/no encryption/),
    { timeout: 120_000 },
  );
  await applyMigrations(trusted());
});
afterEach(closeDatabase);
afterAll(async () => {
  await actInDatabase({ DATABASE_URL: ownDatabase });
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const use = (url: string) => actInDatabase({ DATABASE_URL: url });

const findings = () => examineDatabase(env());

test.each(["verify-full", "require"])(
  "sslmode=%s with the private authority: boot, requests and doctor use TLS",
  async (mode) => {
    const url = withTls(`sslmode=${mode}&sslrootcert=${file("authority.pem")}`);
    await use(url);

    await requireMigrations();
    const tenant = await newTenant();
    const created = await call(tenant, "POST", "/conversations", { channelId: "web" });
    expect(created.status).toBe(201);
    const connections = () =>
      runSql<{ name: string; ssl: boolean }>({
        text: "SELECT application_name AS name, ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_addr IS NOT NULL",
        values: [],
      });
    expect((await connections()).length).toBeGreaterThan(0);
    // PostgreSQL shows the last connection of the preparation until its process has ended.
    const unencrypted = async () => (await connections()).filter(({ ssl }) => !ssl);
    await expect.poll(unencrypted).toEqual([]);
    expect(await findings()).toContainEqual({
      subject: "database",
      fact: expect.stringMatching(/^PostgreSQL \d/),
    });
  },
);

const refused: [string, () => string, RegExp][] = [
  [
    "another authority",
    () => withTls(`sslmode=verify-full&sslrootcert=${file("stranger.pem")}`),
    /its certificate is not trusted \(.+\)\. Name the file of its certificate authority with `sslrootcert`/,
  ],
  [
    "no authority, with sslmode=require",
    () => withTls("sslmode=require"),
    /its certificate is not trusted/,
  ],
  [
    "a host that the certificate is not for",
    () => named(trusted(), "localhost"),
    /its certificate is for another host \(.*localhost.*\)\. Use a host that the certificate names/,
  ],
];

test.each(refused)("%s: boot and doctor refuse it and say why", async (_, url, reason) => {
  await use(url());
  await expect(requireMigrations()).rejects.toThrow(reason);
  expect(await findings()).toEqual([
    { subject: "database", problem: expect.stringMatching(reason) },
  ]);
});

test("a database without TLS is refused if the address requires it", async () => {
  const url = `${ownDatabase}?sslmode=verify-full`;
  await use(url);
  await expect(requireMigrations()).rejects.toThrow(/it does not support TLS/);
});

test("sslmode=no-verify encrypts without checking the certificate", async () => {
  await use(withTls("sslmode=no-verify"));
  await requireMigrations();
  const [own] = await runSql<{ ssl: boolean }>({
    text: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    values: [],
  });
  expect(own?.ssl).toBe(true);
});
