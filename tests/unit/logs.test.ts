import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import pino from "pino";
import { expect, inject, test, vi } from "vitest";
import { GET, POST } from "@/app/api/auth/[...nextauth]/route";
import { logAreas, logOf, logOptions, parseLogLevels } from "@/lib/platform/log";
import { logPageError } from "@/lib/platform/log-page-error";

/** What a logger with our options writes for one call. */
function written(write: (log: pino.Logger) => void): string {
  const lines: string[] = [];
  write(pino({ ...logOptions, level: "trace" }, { write: (line) => lines.push(line) }));
  return lines.join("");
}

const junk = "x".repeat(5_000_000);

test.each<[string, (log: pino.Logger) => void]>([
  ["a field", (log) => log.warn({ code: junk }, "refused")],
  ["a field within another", (log) => log.warn({ facts: { list: [{ code: junk }] } }, "refused")],
  ["the name of a field", (log) => log.warn({ [junk]: 1 }, "refused")],
  ["a list", (log) => log.warn({ list: Array(100_000).fill("item") }, "refused")],
  [
    "nesting",
    (log) => log.warn(JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`), "refused"),
  ],
  ["an error", (log) => log.error({ err: new Error(junk) }, "failed")],
  ["an error by itself", (log) => log.error(new Error(junk))],
  ["the message", (log) => log.warn(junk)],
  ["bytes", (log) => log.warn({ body: Buffer.alloc(100_000) }, "refused")],
])("%s is cut, so that no one can fill the log with it", (_title, write) => {
  const line = written(write);
  expect(line.length).toBeLessThan(12_000);
  expect(line.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(String) });
});

test("short values are logged completely, and secrets are not", () => {
  const line = JSON.parse(
    written((log) =>
      log.info(
        { port: 3000, at: new Date(0), facts: { password: "hunter2", ids: ["a", "b"] } },
        "web is listening",
      ),
    ),
  );
  expect(line).toMatchObject({
    port: 3000,
    at: "1970-01-01T00:00:00.000Z",
    facts: { password: "[redacted]", ids: ["a", "b"] },
    msg: "web is listening",
  });
  const failed = JSON.parse(written((log) => log.error({ err: new TypeError("no") }, "failed")));
  expect(failed.err).toMatchObject({
    type: "TypeError",
    message: "no",
    stack: expect.stringContaining("logs.test.ts"),
  });
});

const apiKey = `prl_live_${"a1B2".repeat(10)}`;
const signingSecret = `whsec_${"Zm9v".repeat(10)}=`;

test.each<[string, (log: pino.Logger) => void]>([
  ["by its name, at any depth", (log) => log.info({ a: { b: { clientSecret: "hunter2" } } }, "x")],
  ["in a header", (log) => log.info({ headers: { Authorization: "hunter2", Cookie: "hunter2" } })],
  ["as a token", (log) => log.info({ list: [{ resetToken: "hunter2" }] }, "x")],
  ["in the password of a URL", (log) => log.warn({ url: "postgresql://app:hunter2@db/p" }, "x")],
  ["in an error's message", (log) => log.error({ err: new Error(`no ${apiKey}`) }, "failed")],
  ["in an error by itself", (log) => log.error(new Error(`Bearer ${signingSecret}`))],
  ["in the message", (log) => log.warn(`the key ${apiKey} is not valid`)],
  ["where a long text is cut", (log) => log.warn({ text: `${"x ".repeat(490)}${apiKey}` }, "x")],
])("a secret is redacted %s", (_title, write) => {
  const line = written(write);
  expect(line).toContain("[redacted]");
  for (const secret of ["hunter2", apiKey, apiKey.slice(0, 20), signingSecret, "Zm9vZm9v"])
    expect(line).not.toContain(secret);
});

test("the line about a failed page has its path and digest, but no query and no token of its URL", () => {
  const lineOf = (path: string, routePath: string, error: unknown) =>
    written((log) =>
      logPageError(
        error,
        { path, method: "GET" },
        { routePath, routeType: "render", renderSource: "react-server-components" },
        log,
      ),
    );
  const error = Object.assign(new TypeError("no"), { digest: "123" });
  const line = lineOf("/acme/test/logs?q=hunter2", "/[tenant]/[environment]/logs", error);
  expect(JSON.parse(line)).toMatchObject({
    level: 50,
    method: "GET",
    path: "/acme/test/logs",
    route: "/[tenant]/[environment]/logs",
    source: "react-server-components",
    digest: "123",
    err: { message: "no", stack: expect.stringContaining("logs.test.ts") },
  });
  const others = [
    line,
    lineOf("/invite/hunter2", "/(auth)/invite/[token]", "thrown text"),
    lineOf("/dev/mail?token=hunter2", "/dev/mail", null),
  ];
  for (const each of others) expect(each).not.toContain("hunter2");
});

test("ids, paths and plain URLs are not redacted", () => {
  const facts = {
    requestId: "req_01KAXYZ0000000000000000000",
    path: "/v1/public/conversations",
    url: "https://hooks.example.com:8443/a@b",
    tokens: 12,
  };
  expect(JSON.parse(written((log) => log.info(facts, "x")))).toMatchObject(facts);
});

test("LOG_LEVEL sets a level for everything, and one for single areas", async () => {
  expect(parseLogLevels("warn")).toEqual({ base: "warn" });
  expect(parseLogLevels("info, deliveries=debug,api=error")).toEqual({
    base: "info",
    deliveries: "debug",
    api: "error",
  });
  for (const text of ["loud", "info,warn", "info,everything=debug", "info,api=loud", "info,", ""])
    expect(parseLogLevels(text)).toBeNull();

  vi.stubEnv("LOG_LEVEL", "warn,deliveries=debug");
  vi.resetModules();
  const fresh = await import("@/lib/platform/log");
  expect(fresh.log.level).toBe("warn");
  expect(logAreas.map((area) => [area, fresh.logOf(area).level])).toEqual(
    logAreas.map((area) => [area, area === "deliveries" ? "debug" : "warn"]),
  );
  expect(fresh.logOf("deliveries").bindings()).toEqual({ area: "deliveries" });
  vi.unstubAllEnvs();
});

test("full log files are rotated and compressed, and no line is lost until many are full", async () => {
  const directory = mkdtempSync(path.join(inject("scratch"), "logs-"));
  vi.stubEnv("DATA_DIR", directory);
  vi.resetModules();
  const { logFile } = await import("@/server/embedded/log-file");
  const log = logFile("web", { maximumBytes: 1_000, keptFiles: 3 });
  const logs = path.join(directory, "logs");
  const archives = () => readdirSync(logs).filter((name) => name !== "web.log");
  const line = (number: number) => JSON.stringify({ level: 30, number, filler: "x".repeat(100) });

  let next = 0;
  for (let file = 1; file <= 5; file++) {
    const before = archives().length;
    while (archives().length === before && archives().length < 3) log.write(line(next++), "stdout");
    if (before === 3) for (let more = 0; more < 10; more++) log.write(line(next++), "stdout");
    await expect.poll(() => archives().every((name) => /^web-.*\.log\.gz$/.test(name))).toBe(true);
  }
  const kept = archives().sort();
  expect(kept).toHaveLength(3);
  const text = [
    ...kept.map((name) => gunzipSync(readFileSync(path.join(logs, name))).toString()),
    readFileSync(log.path, "utf8"),
  ].join("");
  const numbers = text
    .trimEnd()
    .split("\n")
    .map((each) => JSON.parse(each).number as number);
  expect(numbers).toEqual(
    Array.from({ length: numbers.length }, (_, index) => next - numbers.length + index),
  );
  expect(numbers.length).toBeGreaterThan(24);
});

test("a line of any length that a process prints is cut", async () => {
  const directory = mkdtempSync(path.join(inject("scratch"), "logs-"));
  vi.stubEnv("DATA_DIR", directory);
  vi.resetModules();
  const { logFile } = await import("@/server/embedded/log-file");
  const log = logFile("web");
  log.write(junk, "stdout");
  expect(readFileSync(log.path, "utf8").length).toBeLessThan(20_000);
});

test("no one can write into the log through the log route of next-auth", async () => {
  const write = vi.spyOn(logOf("auth"), "warn");
  const body = new URLSearchParams({ level: "error", code: "FORGED", message: "nothing happened" });
  const context = { params: Promise.resolve({ nextauth: ["_log"] }) };
  for (const [handle, init] of [
    [POST, { method: "POST", body }],
    [GET, {}],
  ] as const) {
    const response = await handle(
      new Request("http://localhost:3000/api/auth/_log", init),
      context,
    );
    expect(response.status).toBe(404);
  }
  expect(write).not.toHaveBeenCalled();
});
