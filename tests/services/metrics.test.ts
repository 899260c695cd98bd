import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { measurements } from "@/lib/platform/meter";
import { newTenant, type TestTenant } from "../support/api";
import {
  dashboardExpressions,
  type Exposition,
  metricsIn,
  scrape,
  total,
} from "../support/exposition";
import { freePort, type RunningProcess, startWeb, startWorker } from "../support/processes";
import { type Receiver, startReceiver } from "../support/receiver";

// The built product, with one webhook that accepts and one that fails.

let tenant: TestTenant;
let receiver: Receiver;
let web: RunningProcess & { url: string };
let worker: RunningProcess;
let ofWeb: Exposition;
let ofWorker: Exposition;
const ports = { web: 0, worker: 0 };

const call = (method: string, path: string, body?: object, key = tenant.key) =>
  fetch(`${web.url}/v1/public${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });

beforeAll(async () => {
  tenant = await newTenant();
  receiver = await startReceiver((response, { path }) =>
    response.writeHead(path === "/failing" ? 500 : 200).end(),
  );
  ports.web = await freePort();
  ports.worker = await freePort();
  web = await startWeb({ METRICS_PORT: String(ports.web) });
  worker = await startWorker({
    METRICS_PORT: String(ports.worker),
    // The failed delivery is not tried again before the metrics are read.
    WEBHOOK_RETRY_SCHEDULE: Array(7).fill("3600").join(),
  });

  for (const path of ["/", "/failing"])
    await call("POST", "/webhooks", { url: receiver.url + path, events: ["conversation.created"] });
  await call("POST", "/conversations", { channelId: "web" });
  await call("POST", "/conversations", {});
  await call("GET", "/conversations", undefined, "prl_test_unknown");
  await receiver.received(2);
  await vi.waitFor(
    async () => {
      ofWorker = await scrape(ports.worker);
      expect(total(ofWorker, "parlance_delivery_attempts_total")).toBe(2);
      const runs = "parlance_job_duration_seconds_count";
      expect(total(ofWorker, runs, { job: "send-mails" })).not.toBe(0);
    },
    { timeout: 120_000 },
  );
  ofWeb = await scrape(ports.web);
});
afterAll(async () => {
  await Promise.all([web?.end(), worker?.end()]);
  await receiver?.close();
});

test("requests are counted by operation and status, and timed by operation", async () => {
  const requests = (operation: string, status: string) =>
    total(ofWeb, "parlance_requests_total", { operation, status });

  expect(requests("createWebhook", "201")).toBe(2);
  expect(requests("createConversation", "201")).toBe(1);
  expect(requests("createConversation", "422")).toBe(1);
  expect(requests("listConversations", "401")).toBe(1);
  const count = "parlance_request_duration_seconds_count";
  expect(total(ofWeb, count, { operation: "createConversation" })).toBe(2);
  const decisions = "parlance_rate_limit_decisions_total";
  expect(total(ofWeb, decisions, { limit: "key", decision: "allowed" })).toBe(4);
  expect(total(ofWeb, decisions, { limit: "unauthenticated", decision: "allowed" })).toBe(1);
});

test("attempts are counted by outcome, number and reason, and claims by kind", async () => {
  const attempts = "parlance_delivery_attempts_total";
  expect(total(ofWorker, attempts, { outcome: "delivered", attempt: "1", reason: "2xx" })).toBe(1);
  expect(total(ofWorker, attempts, { outcome: "will_retry", attempt: "1", reason: "5xx" })).toBe(1);
  expect(total(ofWorker, "parlance_deliveries_claimed_total")).toBe(2);
  expect(total(ofWorker, "parlance_database_up")).toBe(1);
});

test("every metric of the dashboard and the alert rules exists", () => {
  const exposed = new Set([...ofWeb.types.keys(), ...ofWorker.types.keys()]);
  const rules = readFileSync("deploy/monitoring/alerts.yml", "utf8");
  const used = [...dashboardExpressions(), rules].flatMap(metricsIn);

  expect(new Set(used).size).toBeGreaterThan(25);
  expect(used.filter((name) => !exposed.has(name))).toEqual([]);
  // The dashboard shows everything that the product measures.
  const shown = new Set(dashboardExpressions().flatMap(metricsIn));
  expect(Object.values(measurements).filter(({ name }) => !shown.has(name))).toEqual([]);
});

test("what clients send adds no series, and no id is a label", async () => {
  // Node's own metrics gain a series when a kind of garbage collection or handle occurs first.
  const countOwn = ({ samples }: Exposition) =>
    samples.filter(({ name }) => name.startsWith("parlance_")).length;
  const before = countOwn(await scrape(ports.web));
  await call("GET", "/unknown/0");
  const afterFirst = countOwn(await scrape(ports.web));
  for (let number = 1; number < 20; number++) {
    await call("GET", `/unknown/${number}`);
    await call("POST", "/conversations", { channelId: `channel-${number}` });
  }
  const after = await scrape(ports.web);

  expect(afterFirst).toBeGreaterThan(before);
  expect(countOwn(after)).toBe(afterFirst);
  for (const { text } of [after, ofWorker]) {
    expect(text).not.toMatch(/[a-z]_[0-7][0-9A-HJKMNP-TV-Z]{25}/);
    expect(text).not.toContain(tenant.slug);
  }
});

test("the public port serves no metrics, and the metrics port serves a liveness probe", async () => {
  expect((await call("GET", "/metrics")).status).toBe(404);
  expect(await (await fetch(`${web.url}/metrics`)).text()).not.toContain("parlance_requests_total");
  for (const port of Object.values(ports)) {
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/v1/public/account`)).status).toBe(404);
  }
});
