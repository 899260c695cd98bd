// `npm run bench:large`: how long a list takes by each of its filters in tables of 2 million rows,
// and how fast retention deletes what half of them hold.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type pg from "pg";
import { readQuery } from "@/lib/api/read-request";
import { listConversationsQuery } from "@/lib/conversations/schema";
import { listConversations } from "@/lib/conversations/service";
import { listCustomersQuery } from "@/lib/customers/schema";
import { listCustomers } from "@/lib/customers/service";
import { type Identity, reader } from "@/lib/platform/caller";
import { closeDatabase, pool, setProcessRole } from "@/lib/platform/db";
import { oldestExpired, purgeExpired } from "@/lib/retention/purge-expired";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { workerSettings } from "@/lib/scheduling/worker-settings";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { fillLargeDatabase, tenants } from "./large-data";
import { prepareDatabase } from "./setting";

const { values: options } = parseArgs({
  options: {
    parts: { type: "string", default: "lists,retention" },
    rows: { type: "string", default: "2000000" },
    executions: { type: "string", default: "100" },
  },
});
const parts = options.parts.split(",");
const rows = Number(options.rows);
const executions = Number(options.executions);
const goalMs = 50;
const dayMs = 86_400_000;

type Query = Record<string, string>;

/** As the API reads it, with `metadata[plan]` as an object. */
const toQuery = (query: Query) => readQuery(new URLSearchParams(query).toString());

const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
/** The number of another conversation or customer of the large tenant at each execution. */
const any = (execution: number) => (((execution + 1) * 7_919 * 2) % rows) + 2;

const conversationFilters: Record<string, (execution: number) => Query> = {
  "no filter": () => ({}),
  ...Object.fromEntries(
    ["OPEN", "PENDING", "SNOOZED", "CLOSED", "OPEN,PENDING", "SNOOZED,CLOSED"].map((status) => [
      `status=${status}`,
      () => ({ status }),
    ]),
  ),
  ...Object.fromEntries(
    ["web", "rare", "none"].map((channelId) => [`channelId=${channelId}`, () => ({ channelId })]),
  ),
  ...Object.fromEntries(
    ["agt_common", "agt_rare", "agt_none"].map((agentId) => [
      `agentId=${agentId}`,
      () => ({ agentId }),
    ]),
  ),
  ...Object.fromEntries(
    ["usr_common", "usr_rare", "usr_none"].map((assigneeId) => [
      `assigneeId=${assigneeId}`,
      () => ({ assigneeId }),
    ]),
  ),
  ...Object.fromEntries(
    ["common", "tag-6", "rare", "none"].map((tag) => [`tag=${tag}`, () => ({ tag })]),
  ),
  ...Object.fromEntries(
    ["common", "rare", "none"].map((plan) => [
      `metadata[plan]=${plan}`,
      () => ({ "metadata[plan]": plan }),
    ]),
  ),
  "externalId=(one)": (execution) => ({ externalId: `order-${any(execution)}` }),
  "externalId=none": () => ({ externalId: "none" }),
  "customerId=none": () => ({ customerId: "cus_none" }),
  ...Object.fromEntries(
    [59, 40, 30, 20, 7, 1, 0.01, -1].map((days) => [
      `updatedSince=${days} days ago`,
      () => ({ updatedSince: ago(days) }),
    ]),
  ),
};

/** Combined filters have no index of their own; the planner chooses among those of each. */
const combinedFilters: Query[] = [
  { tag: "common", status: "SNOOZED" },
  { tag: "common", status: "OPEN" },
  { tag: "rare", status: "OPEN" },
  { tag: "none", channelId: "web" },
  { status: "PENDING", channelId: "email" },
  { status: "PENDING", agentId: "agt_common" },
  { channelId: "rare", agentId: "agt_common" },
  { channelId: "email", agentId: "agt_common", status: "RESOLVED" },
  { tag: "common", updatedSince: ago(1) },
  { status: "OPEN", updatedSince: ago(30) },
  { status: "SNOOZED", updatedSince: ago(1) },
];

const customerFilters: Record<string, (execution: number) => Query> = {
  "no filter": () => ({}),
  "email=(one)": (execution) => ({ email: `customer-${any(execution)}@example.com` }),
  "email=none": () => ({ email: "none@example.com" }),
  "phone=(one)": (execution) => ({ phone: `+49${100_000_000 + any(execution)}` }),
  "phone=none": () => ({ phone: "+4999999999" }),
  "externalId=(one)": (execution) => ({ externalId: `external-${any(execution)}` }),
  "externalId=none": () => ({ externalId: "none" }),
};

function identityOf(tenantId: string): Identity {
  return {
    partition: { tenantId, environment: "live" },
    actor: { type: "OPERATOR", id: "bench" },
    request: null,
    address: null,
  };
}

const listing: Record<string, (tenantId: string, query: Query) => Promise<{ data: unknown[] }>> = {
  conversations: (tenantId, query) =>
    listConversations(reader(identityOf(tenantId)), listConversationsQuery.parse(toQuery(query))),
  customers: (tenantId, query) =>
    listCustomers(reader(identityOf(tenantId)), listCustomersQuery.parse(query)),
};

const percentile = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0;

const print = (...columns: [string, ...(string | number)[]]) => {
  const [name, ...figures] = columns;
  process.stdout.write(
    `${name.padEnd(72)}${figures.map((figure) => String(figure).padStart(11)).join("")}\n`,
  );
};

const load = () => `load average ${loadavg()[0]?.toFixed(1)}`;

/**
 * One request after another, the first one included, in both orders and from the beginning and the
 * middle of the list.
 */
async function measureLists(): Promise<boolean> {
  process.stdout.write(`\nLists, ${executions} executions each, ${load()}\n`);
  print("", "found", "p50 ms", "p95 ms", "most ms");
  let areMet = true;
  const measure = async (
    list: string,
    tenantId: string,
    name: string,
    queryOf: (execution: number) => Query,
    goal?: number,
  ) => {
    for (const order of ["desc", "asc"]) {
      const times: number[] = [];
      let found = 0;
      for (let execution = 0; execution < executions; execution++) {
        const began = performance.now();
        const page = await listing[list]?.(tenantId, { ...queryOf(execution), order });
        times.push(performance.now() - began);
        found = page?.data.length ?? 0;
      }
      const p95 = percentile(times, 0.95);
      const isMet = goal === undefined || p95 <= goal;
      areMet &&= isMet;
      const figures = [percentile(times, 0.5), p95, Math.max(...times)].map((ms) => ms.toFixed(1));
      print(`${list} ${name} ${order} (${tenantId})`, found, ...figures, isMet ? "" : "  NOT met");
    }
  };
  for (const tenantId of Object.values(tenants)) {
    for (const [name, queryOf] of Object.entries(conversationFilters))
      await measure("conversations", tenantId, name, queryOf, goalMs);
    for (const [name, queryOf] of Object.entries(customerFilters))
      await measure("customers", tenantId, name, queryOf, goalMs);
  }
  for (const query of combinedFilters) {
    const name = Object.entries(query).map(([filter, value]) => `${filter}=${value.slice(0, 10)}`);
    await measure("conversations", tenants.large, name.join(" "), () => query);
  }
  return areMet;
}

type Work = { rows: number; ms: number; slowestMs: number; failures: number };

/** Runs the purge job like the worker does, batch after batch, until nothing is left to delete. */
async function measureRetention(): Promise<boolean> {
  setProcessRole("worker", workerSettings);
  const work: Record<string, Work> = {};
  const connections = pool();
  const query = connections.query.bind(connections) as (
    statement: pg.QueryConfig,
  ) => Promise<pg.QueryResult>;
  const timed = async (statement: pg.QueryConfig) => {
    const table = /FROM (\w+) WHERE/.exec(statement.text)?.[1] ?? "";
    const done = work[table] ?? { rows: 0, ms: 0, slowestMs: 0, failures: 0 };
    work[table] = done;
    const began = performance.now();
    const result = await query(statement).catch((error) => {
      done.failures++;
      throw error;
    });
    const ms = performance.now() - began;
    done.rows += result.rowCount ?? 0;
    done.ms += ms;
    done.slowestMs = Math.max(done.slowestMs, ms);
    return result;
  };
  const limit = recurringJobs["purge-expired"]?.limit ?? 1_000;
  const before = await oldestExpired();
  connections.query = timed as typeof connections.query;
  const startLoad = load();
  const began = performance.now();
  let batches = 1;
  while ((await purgeExpired(limit)) >= limit) batches++;
  const seconds = (performance.now() - began) / 1_000;
  connections.query = query as typeof connections.query;
  const after = await oldestExpired();

  process.stdout.write(
    `\nRetention: one pass of ${batches} batches in ${seconds.toFixed(0)} s, ${startLoad}, then ${load()}\n`,
  );
  print("", "rows", "rows/s", "slowest ms", "failures");
  for (const [table, { rows, ms, slowestMs, failures }] of Object.entries(work))
    print(table, rows, ((rows * 1_000) / ms).toFixed(0), slowestMs.toFixed(0), failures);
  const total = Object.values(work).reduce((sum, { rows }) => sum + rows, 0);
  print("all", total, (total / seconds).toFixed(0));
  process.stdout.write(
    `oldest expired row: ${before.seconds.toFixed(0)} s before, ${after.seconds.toFixed(0)} s after ${after.table}\n`,
  );
  return after.seconds === 0 && Object.values(work).every(({ failures }) => failures === 0);
}

const areMet = await withTemporaryPostgres(async (postgres) => {
  await prepareDatabase(postgres, "bench_large");
  const began = performance.now();
  await fillLargeDatabase(postgres.url("bench_large"), rows, parts);
  process.stdout.write(
    `loaded in ${((performance.now() - began) / 1000).toFixed(0)} s, ${load()}\n`,
  );
  const results: boolean[] = [];
  if (parts.includes("lists")) results.push(await measureLists().finally(closeDatabase));
  if (parts.includes("retention")) results.push(await measureRetention().finally(closeDatabase));
  return results.every(Boolean);
});
process.stdout.write(areMet ? "\nmet\n" : "\nNOT met\n");
process.exitCode = areMet ? 0 : 1;
