import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { firstIdAt, type IdKind } from "@/lib/resources/ids";
import {
  dayOf,
  daysOf,
  endOfDay,
  periodOf,
  type Usage,
  type UsageFigures,
  type UsageQuery,
} from "./schema";
import { usageStatement } from "./service.sql";

/**
 * The usage of the environment, by day and in total, exactly as stored in its rows. Takes no locks.
 */
export async function getUsage(caller: Caller, query: UsageQuery): Promise<Usage> {
  const now = new Date();
  const period = periodOf(query, now);
  const today = dayOf(now.getTime());
  const days = daysOf(period.start, period.end).filter((day) => day <= today);
  let totals = nothing;
  const figures = (await countDays(caller, days.length > 0 ? days : [period.start])).map((day) => {
    totals = added(totals, day);
    const { documentsStored, filesStored, storageBytes } = totals;
    return { ...day, documentsStored, filesStored, storageBytes };
  });
  const series = days.map((date, index) => ({ date, ...(figures[index] ?? nothing) }));
  return {
    environment: caller.partition.environment,
    billable: caller.partition.environment === "live",
    period,
    totals,
    series,
  };
}

/** Requests of the period by key, busiest first. Keys without requests are left out. */
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

const nothing: UsageFigures = {
  apiRequests: 0,
  conversationsCreated: 0,
  messagesReceived: 0,
  messagesSent: 0,
  documentsStored: 0,
  filesStored: 0,
  storageBytes: 0,
  webhookDeliveries: 0,
  webhookFailures: 0,
};

const added = (first: UsageFigures, second: UsageFigures) =>
  Object.fromEntries(
    Object.entries(first).map(([name, figure]) => [
      name,
      figure + second[name as keyof UsageFigures],
    ]),
  ) as UsageFigures;

/** For documents and files, counts those that each day added; the first day includes all earlier ones. */
async function countDays(caller: Caller, days: string[]): Promise<UsageFigures[]> {
  const bounds = [...days.map((day) => new Date(day)), endOfDay(days.at(-1) ?? "")];
  const ids = (kind: IdKind) => bounds.map((time) => firstIdAt(kind, time));
  return readRows<UsageFigures>(
    usageStatement({
      ...caller.partition,
      days,
      conversationIds: ids("conversation"),
      messageIds: ids("message"),
    }),
    caller,
  );
}
