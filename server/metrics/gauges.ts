import { readFileSync } from "node:fs";
import { Counter, Gauge, type Registry } from "prom-client";
import { poolState } from "@/lib/platform/db";
import { rateLimitStore } from "@/lib/platform/rate-limit/rate-limiter";
import { recentBacklogs, recentReadiness } from "@/lib/readiness/service";

// Numbers that are read when Prometheus asks for them, so they cost nothing in between.

/** Without a value, for example while the database is unreachable, the metric has no sample. */
export type Reading = {
  name: string;
  help: string;
  read: () => number | null | undefined | Promise<number | null | undefined>;
};

export function addGauges(registry: Registry, readings: Reading[]): void {
  for (const { read, ...gauge } of readings)
    new Gauge({
      ...gauge,
      registers: [registry],
      async collect() {
        const value = await read();
        if (typeof value === "number") this.set(value);
        else this.remove();
      },
    });
}

/** What every process has: its version, its connections and its rate limiter. */
export function addProcessGauges(registry: Registry, process: string): void {
  const registers = [registry];
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  new Gauge({
    name: "parlance_build_info",
    help: "1, with the version and the kind of process as labels.",
    labelNames: ["version", "process"],
    registers,
  }).set({ version, process }, 1);
  new Gauge({
    name: "parlance_database_connections",
    help: "Connections of this process, without those that only listen, by state.",
    labelNames: ["state"],
    registers,
    collect() {
      const { inUse, idle } = poolState();
      this.set({ state: "in_use" }, inUse);
      this.set({ state: "idle" }, idle);
    },
  });
  new Counter({
    name: "parlance_rate_limit_store_failures_total",
    help: "Decisions that were made in this process's memory because the shared store did not respond.",
    registers,
    collect() {
      this.reset();
      this.inc(rateLimitStore().fallbacks.count);
    },
  });
  addGauges(registry, [
    {
      name: "parlance_database_connections_max",
      help: "The maximum of these connections.",
      read: () => poolState().max,
    },
    {
      name: "parlance_database_waiting_requests",
      help: "Statements that wait for a free connection.",
      read: () => poolState().waiting,
    },
  ]);
}

/** What waits in the database. All processes would report the same, so only workers do. */
export const backlogGauges: Reading[] = [
  {
    name: "parlance_database_up",
    help: "1 while the database responds and its disk is not full.",
    read: async () => ((await recentReadiness()).status === "ready" ? 1 : 0),
  },
  {
    name: "parlance_deliveries_due",
    help: "Deliveries that are due, up to 10,000.",
    read: async () => (await recentReadiness()).deliveries?.due,
  },
  {
    name: "parlance_deliveries_in_progress",
    help: "Due deliveries that a worker is sending.",
    read: async () => (await recentReadiness()).deliveries?.inProgress,
  },
  {
    name: "parlance_deliveries_held",
    help: "Deliveries that wait for a disabled webhook, up to 10,000.",
    read: async () => (await recentReadiness()).deliveries?.held,
  },
  {
    name: "parlance_oldest_due_delivery_seconds",
    help: "How long the oldest due delivery has waited, except behind webhooks that keep failing.",
    read: async () => (await recentReadiness()).oldestDueDeliverySeconds,
  },
  {
    name: "parlance_oldest_expired_row_seconds",
    help: "How long the oldest row that retention should have deleted has waited.",
    read: async () => (await recentReadiness()).oldestExpiredRowSeconds,
  },
  {
    name: "parlance_documents_waiting",
    help: "Documents that wait to be processed, up to 10,000.",
    read: async () => (await recentBacklogs())?.documents,
  },
  {
    name: "parlance_oldest_waiting_document_seconds",
    help: "How long the oldest of them has waited.",
    read: async () => (await recentBacklogs())?.oldestDocumentSeconds,
  },
  {
    name: "parlance_mails_due",
    help: "Mails that are due, up to 10,000.",
    read: async () => (await recentBacklogs())?.mails,
  },
  {
    name: "parlance_oldest_due_mail_seconds",
    help: "How long the oldest of them has been due.",
    read: async () => (await recentBacklogs())?.oldestMailSeconds,
  },
];
