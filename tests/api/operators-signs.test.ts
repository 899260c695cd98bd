import { mkdtempSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, inject, test, vi } from "vitest";
import { createApiKeyInput } from "@/lib/api-keys/schema";
import { logLine } from "@/lib/platform/blobs/s3-blob-store";
import { pool } from "@/lib/platform/db";
import { findFullDisk, isDatabaseFull } from "@/lib/platform/disk-full";
import { env } from "@/lib/platform/env";
import { log, logOf } from "@/lib/platform/log";
import { untrustedProxyFile } from "@/lib/platform/untrusted-proxy";
import { readiness } from "@/lib/readiness/service";
import { examineProxies } from "@/server/admin/examine-exposure";
import { baseUrl, call, newTenant } from "../support/api";

// What operators see of faults that must not be shown to tenants.

afterEach(() => {
  vi.restoreAllMocks();
});

test("503 while the disk of the database is full, and the log and /ready say which disk", async () => {
  const tenant = await newTenant();
  expect(await readiness()).toMatchObject({ status: "ready", database: "reachable" });
  const logged = vi.spyOn(logOf("api"), "error");
  await pool().query(`
    CREATE FUNCTION find_disk_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER disk_is_full BEFORE INSERT ON conversations EXECUTE FUNCTION find_disk_full()`);
  const { status, body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  await pool().query("DROP TRIGGER disk_is_full ON conversations; DROP FUNCTION find_disk_full");

  expect([status, body.type]).toEqual([503, expect.stringMatching(/unavailable$/)]);
  // The API's bundle may be another process's, which then has a log and a memory of its own.
  if (process.env.TEST_SERVER !== "next") {
    expect(logged.mock.lastCall?.[1]).toBe("the disk of the database is full: free some space");
    expect(await readiness()).toMatchObject({ status: "unavailable", database: "full" });
  }
  expect(findFullDisk({ code: "53100" }, 1_000_000)).toBe("the disk of the database");
  expect([isDatabaseFull(1_029_999), isDatabaseFull(1_030_000)]).toEqual([true, false]);
  expect(findFullDisk({ code: "ENOSPC" })).toBe("the disk that uploads arrive on (BLOB_DIRECTORY)");
  expect(findFullDisk(new Error("anything else"))).toBeNull();
});

test.skipIf(process.env.TEST_SERVER === "next")(
  "the log, once, and doctor report a proxy whose X-Forwarded-For is ignored",
  async () => {
    const { DATA_DIR } = env();
    env().DATA_DIR = mkdtempSync(path.join(inject("scratch"), "proxy-"));
    const warned = vi.spyOn(log, "warn");
    const throughProxy = (url: string, forwardedFor: string) =>
      fetch(baseUrl() + url, { headers: { "x-forwarded-for": forwardedFor } });
    const proxies = () => examineProxies(env());

    // Next may request a page itself, and a name of this machine says nothing about the client.
    await throughProxy("/login", "203.0.113.7");
    await throughProxy("/v1/public/account", "127.0.0.1");
    expect(proxies()).toEqual({ subject: "client addresses", fact: "taken from each connection" });
    for (let index = 0; index < 3; index++)
      await throughProxy("/v1/public/account", `203.0.113.${index}`);

    expect(proxies().problem).toMatch(
      /all of its clients count as one address.*Set TRUSTED_PROXY_HOPS/,
    );
    expect(JSON.parse(readFileSync(untrustedProxyFile(), "utf8"))).toEqual({
      since: expect.any(String),
      proxy: "127.0.0.1",
    });
    expect(
      warned.mock.calls.filter(([, text]) => /TRUSTED_PROXY_HOPS/.test(text ?? "")),
    ).toHaveLength(1);
    expect(examineProxies({ ...env(), TRUSTED_PROXY_HOPS: 1 })).toEqual({
      subject: "client addresses",
      fact: "taken from 1 trusted proxy in front",
    });
    env().DATA_DIR = DATA_DIR;
  },
);

test("what the S3 client logs is a sentence, never [object Object], and never a command's input", () => {
  const failure = {
    clientName: "S3Client",
    commandName: "PutObjectCommand",
    input: { Key: "secret" },
    error: new Error("no route"),
  };
  expect(logLine(failure)).toBe("PutObjectCommand failed: Error (no route)");
  expect(logLine({})).toBe("A command failed: unknown error");
  expect(logLine("a warning")).toBe("a warning");
});

test("a rate limit above the maximum is refused with the maximum", () => {
  const parsed = createApiKeyInput.safeParse({
    name: "key",
    scopes: ["read:usage"],
    rateLimitPerMinute: 10_000_000,
  });
  expect(parsed.error?.issues.map(({ message }) => message)).toEqual(["must be at most 1,000,000"]);
});
