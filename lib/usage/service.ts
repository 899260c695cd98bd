import type { Caller } from "@/lib/caller";
import { runStatement } from "@/lib/db";
import { firstIdAt, type IdKind } from "@/lib/ids";
import { dayOf, daysOf, endOfDay, periodOf, type Usage, type UsageFigures, type UsageQuery } from "./schema";
import { storageStatement, usageStatement } from "./service.sql";

/** What the environment used, a day and in all, exactly as its rows say. Locks nothing and waits for nobody. */
export async function getUsage({ partition }: Caller, query: UsageQuery): Promise<Usage> {
  const now = new Date();
  const period = periodOf(query, now);
  const today = dayOf(now.getTime());
  const days = daysOf(period.start, period.end).filter((day) => day <= today);
  const [flows, stored] = await Promise.all([countFlows(partition, days), measureStorage(partition, days, period)]);
  const series = days.map((date, index) => ({ date, ...(flows[index] ?? noFlows), ...(stored.perDay[index] ?? noStorage) }));

  const sum = (figure: keyof Flows) => flows.reduce((total, flow) => total + flow[figure], 0);
  const totals: UsageFigures = {
    apiRequests: sum("apiRequests"),
    conversationsCreated: sum("conversationsCreated"),
    messagesReceived: sum("messagesReceived"),
    messagesSent: sum("messagesSent"),
    ...stored.atEnd,
    webhookDeliveries: sum("webhookDeliveries"),
    webhookFailures: sum("webhookFailures"),
  };
  return { environment: partition.environment, billable: partition.environment === "live", period, totals, series };
}

/** Requests of the period by key, the busiest first; keys without any are left out. */
export async function listUsageByKey({ db, partition }: Caller, query: UsageQuery) {
  const { start, end } = periodOf(query, new Date());
  const rows = await db.usageDay.groupBy({
    by: ["apiKeyId"],
    where: { ...partition, day: { gte: new Date(start), lte: new Date(end) } },
    _sum: { apiRequests: true },
    orderBy: { _sum: { apiRequests: "desc" } },
  });
  return rows.map(({ apiKeyId, _sum }) => ({ apiKeyId, apiRequests: _sum.apiRequests ?? 0 }));
}

/** What adds up over the days; storage is as it was at the end of each. */
type Flows = Omit<UsageFigures, keyof Storage>;
type Storage = Pick<UsageFigures, "documentsStored" | "storageBytes">;

const noFlows: Flows = {
  apiRequests: 0,
  conversationsCreated: 0,
  messagesReceived: 0,
  messagesSent: 0,
  webhookDeliveries: 0,
  webhookFailures: 0,
};
const noStorage: Storage = { documentsStored: 0, storageBytes: 0 };

type FlowRow = { requests: number; created: number; received: number; sent: number; attempts: number; failures: number };

async function countFlows({ tenantId, environment }: Caller["partition"], days: string[]): Promise<Flows[]> {
  const last = days.at(-1);
  if (!last) return [];
  const bounds = (kind: IdKind) => [...days.map((day) => new Date(day)), endOfDay(last)].map((time) => firstIdAt(kind, time));
  const values = [tenantId, environment, days, bounds("conversation"), bounds("message")];
  const rows = await runStatement<FlowRow>(usageStatement, values);
  return rows.map(({ requests, created, received, sent, attempts, failures }) => ({
    apiRequests: requests,
    conversationsCreated: created,
    messagesReceived: received,
    messagesSent: sent,
    webhookDeliveries: attempts,
    webhookFailures: failures,
  }));
}

async function measureStorage({ tenantId, environment }: Caller["partition"], days: string[], period: Usage["period"]) {
  type Row = { day: string; documents: number; bytes: number };
  const rows = await runStatement<Row>(storageStatement, [tenantId, environment, period.start, endOfDay(period.end)]);
  const added = new Map(rows.map((row) => [row.day, row]));
  const sum = (first: Storage, { documents, bytes }: Omit<Row, "day">) => ({
    documentsStored: first.documentsStored + documents,
    storageBytes: first.storageBytes + bytes,
  });
  let stored = noStorage;
  const perDay = days.map((day) => {
    stored = sum(stored, added.get(day) ?? { documents: 0, bytes: 0 });
    return stored;
  });
  return { perDay, atEnd: rows.reduce(sum, noStorage) };
}
