import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { isLoopbackOpen, noteRequest, resetExposure } from "@/lib/platform/loopback-exposure";
import { findUrlProblem, urlRule } from "@/lib/webhooks/webhook-url";
import { examineExposure } from "@/server/admin/examine-exposure";

const before = { ...env() };

beforeEach(() => {
  Object.assign(env(), {
    DATA_DIR: mkdtempSync(path.join(tmpdir(), "parlance-exposure-")),
    LOOPBACK_WEBHOOKS: true,
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: [],
    APP_URL: "http://localhost:3000",
  });
});

afterEach(() => {
  rmSync(env().DATA_DIR, { recursive: true });
  Object.assign(env(), before);
  vi.restoreAllMocks();
});

const problemOf = (url: string) => findUrlProblem(url, { environment: "test" });

test("a request for another host closes loopback to webhooks, and log, API, dashboard and doctor say why and what to do", () => {
  const warned = vi.spyOn(log, "warn").mockReturnValue();
  expect(problemOf("http://127.0.0.1:9/")).toBeNull();

  for (let number = 1; number <= 3; number++)
    noteRequest(Object.entries({ host: "my-laptop.lan:3000" }));

  const reason =
    /because this installation was reached under my-laptop\.lan:3000 at \d{4}-.+Z\. If that was you, run `npm run admin -- exposure:reset`\..+set APP_URL/;
  expect(warned.mock.calls.map(([, text]) => text)).toEqual([expect.stringMatching(reason)]);
  expect(problemOf("http://127.0.0.1:9/")).toMatch(reason);
  expect(problemOf("http://localhost:9/")).toMatch(reason);
  expect(urlRule("test")).toMatch(reason);
  expect(examineExposure(env())).toEqual({
    subject: "loopback",
    fact: expect.stringMatching(reason),
  });
  // Other addresses were never open, so the reason would only mislead.
  expect(problemOf("http://10.0.0.1/")).not.toContain("exposure:reset");
});

test("exposure:reset opens loopback again without a restart, until the next request from elsewhere", () => {
  vi.spyOn(log, "warn").mockReturnValue();
  expect(resetExposure()).toBe(false);
  noteRequest(Object.entries({ host: "localhost", "x-forwarded-for": "203.0.113.7" }));
  expect(isLoopbackOpen()).toBe(false);

  expect(resetExposure()).toBe(true);
  expect([isLoopbackOpen(), problemOf("http://127.0.0.1:9/")]).toEqual([true, null]);

  noteRequest(Object.entries({ host: "parlance.example.com" }));
  expect(isLoopbackOpen()).toBe(false);
});

test("text that is not a host name is not repeated to anyone", () => {
  vi.spyOn(log, "warn").mockReturnValue();
  noteRequest(Object.entries({ host: "<script>alert(1)</script>" }));
  expect(problemOf("http://127.0.0.1:9/")).toMatch(/through a proxy or tunnel/);
  expect(problemOf("http://127.0.0.1:9/")).not.toContain("script");
});

test("if the file cannot be written, this process keeps loopback closed and continues to serve", () => {
  vi.spyOn(log, "warn").mockReturnValue();
  const logged = vi.spyOn(log, "error").mockReturnValue();
  env().DATA_DIR = path.join(env().DATA_DIR, "missing");
  noteRequest(Object.entries({ host: "parlance.example.com" }));
  expect(logged).toHaveBeenCalledOnce();
  expect([isLoopbackOpen(), existsSync(env().DATA_DIR)]).toEqual([false, false]);
  env().DATA_DIR = path.dirname(env().DATA_DIR);
});
