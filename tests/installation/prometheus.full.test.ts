import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newTenant } from "../support/api";
import { dashboardExpressions, metricsIn } from "../support/exposition";
import { freePort, startWeb, startWorker } from "../support/processes";
import { findProgram } from "../support/programs";
import { startReceiver } from "../support/receiver";

// A real Prometheus scrapes web and worker under load, evaluates every alert rule, and answers every
// query of the dashboard.

const prometheus = findProgram("prometheus");
const undo: (() => unknown)[] = [];
let api = "";

beforeAll(async () => {
  if (!prometheus) return;
  const ports = [await freePort(), await freePort(), await freePort()];
  const [ofWeb, ofWorker, own] = ports;
  const web = await startWeb({ METRICS_PORT: String(ofWeb) });
  undo.push(() => web.end());
  const worker = await startWorker({ METRICS_PORT: String(ofWorker) });
  undo.push(() => worker.end());

  const directory = mkdtempSync(path.join(tmpdir(), "parlance-prometheus-"));
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(
    path.join(directory, "prometheus.yml"),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["${path.resolve("deploy/monitoring/alerts.yml")}"]
scrape_configs:
  - job_name: parlance
    static_configs: [{ targets: ["127.0.0.1:${ofWeb}", "127.0.0.1:${ofWorker}"] }]
`,
  );
  const child = spawn(
    prometheus,
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${own}`,
    ],
    { stdio: "ignore" },
  );
  undo.push(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  api = `http://127.0.0.1:${own}/api/v1`;
  await vi.waitFor(() => fetch(`${api}/query?query=up`), { timeout: 60_000 });

  const { key } = await newTenant();
  const receiver = await startReceiver((response, { path }) =>
    response.writeHead(path === "/failing" ? 500 : 200).end(),
  );
  undo.push(receiver.close);
  const call = (route: string, body: object) =>
    fetch(`${web.url}/v1/public${route}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const place of ["/", "/failing"])
    await call("/webhooks", { url: receiver.url + place, events: ["conversation.created"] });
  for (let batch = 0; batch < 30; batch++)
    await Promise.all(
      Array.from({ length: 10 }, () => call("/conversations", { channelId: "web" })),
    );
  await fetch(`${web.url}/login`);
});
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

async function ask<Data>(route: string): Promise<Data> {
  const { status, data, error } = await (await fetch(api + route)).json();
  expect([route, status, error]).toEqual([route, "success", undefined]);
  return data as Data;
}

const query = (expression: string) =>
  ask<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
    `/query?query=${encodeURIComponent(expression.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"))}`,
  );

test.skipIf(!prometheus)("promtool accepts the alert rules and the example configuration", () => {
  const promtool = findProgram("promtool") ?? "promtool";
  for (const [kind, file] of [
    ["rules", "alerts.yml"],
    ["config", "prometheus.yml"],
  ] as const)
    expect(
      execFileSync(promtool, ["check", kind, `deploy/monitoring/${file}`], { encoding: "utf8" }),
    ).toContain("SUCCESS");
});

test.skipIf(!prometheus)("Prometheus scrapes both processes, each with few series", async () => {
  await vi.waitFor(
    async () => {
      const { result } = await query("up == 1");
      expect(result).toHaveLength(2);
    },
    { timeout: 60_000 },
  );
  for (const { value } of (await query("scrape_samples_scraped")).result)
    expect(Number(value[1])).toBeLessThan(1_500);
});

test.skipIf(!prometheus)("every query of the dashboard works on series that exist", async () => {
  const known = await vi.waitFor(
    async () => {
      const names = Object.keys(await ask<Record<string, unknown>>("/metadata"));
      expect(names).toContain("parlance_deliveries_in_flight");
      expect(names).toContain("parlance_page_duration_seconds");
      return new Set(names);
    },
    { timeout: 60_000 },
  );
  for (const expression of dashboardExpressions())
    expect(metricsIn(expression).filter((name) => !known.has(name))).toEqual([]);
  // Only these did not happen, so they have no series: errors, refusals, documents, mails, reads
  // from a replica.
  const didNotHappen = /5\.\.|refused|"error"|_documents_total|_mails_total|_replica_reads_total/;
  const expected = dashboardExpressions().filter((text) => !didNotHappen.test(text));
  // A rate needs two scrapes, of every process.
  await vi.waitFor(
    async () => {
      const empty: string[] = [];
      for (const expression of expected)
        if ((await query(expression)).result.length === 0) empty.push(expression);
      expect(empty).toEqual([]);
    },
    { timeout: 120_000, interval: 1_000 },
  );
});

test.skipIf(!prometheus)("every alert rule is evaluated without an error", async () => {
  type Rule = { name: string; health: string; lastError?: string; state: string };
  await vi.waitFor(
    async () => {
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>("/rules?type=alert");
      const rules = groups.flatMap(({ rules }) => rules);
      expect(rules.length).toBeGreaterThan(10);
      expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
      expect(rules.filter(({ state }) => state === "firing")).toEqual([]);
    },
    { timeout: 60_000 },
  );
});
