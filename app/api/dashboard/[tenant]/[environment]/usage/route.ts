import { z } from "zod";
import { parse } from "@/app/(dashboard)/run-action";
import { downloadCsv } from "@/app/api/dashboard/csv-download";
import type { PlaceParams } from "@/app/api/dashboard/json-route";
import { apiKeyNames } from "@/lib/api-keys/service";
import type { Caller } from "@/lib/platform/caller";
import type { UsageFigures, UsageQuery } from "@/lib/usage/schema";
import { getUsage, listUsageByKey } from "@/lib/usage/service";
import { daysOfMonth, monthOf, usageMonthQuery } from "@/lib/usage/usage-month";

const downloadQuery = usageMonthQuery.extend({ by: z.enum(["day", "key"]).default("day") });

/** The columns of a day, named as in the API. */
const columns: (keyof UsageFigures)[] = [
  "apiRequests",
  "conversationsCreated",
  "messagesReceived",
  "messagesSent",
  "documentsStored",
  "filesStored",
  "storageBytes",
  "webhookDeliveries",
  "webhookFailures",
];

/** A month's usage, with one row per day or per key. */
export async function GET(
  request: Request,
  { params }: { params: Promise<PlaceParams> },
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  return downloadCsv(request, await params, async (caller, { tenant, environment }) => {
    const { by, month = monthOf(new Date()) } = parse(
      downloadQuery,
      Object.fromEntries(searchParams),
      "query",
    );
    const rows =
      by === "day"
        ? await daysUsed(caller, daysOfMonth(month))
        : await keysUsed(caller, daysOfMonth(month));
    return { name: `usage-${tenant.slug}-${environment}-${month}-by-${by}`, rows };
  });
}

async function daysUsed(caller: Caller, period: UsageQuery) {
  const { series, environment, billable } = await getUsage(caller, period);
  const days = series.map(({ date, ...figures }) => [
    date,
    environment,
    String(billable),
    ...columns.map((name) => figures[name]),
  ]);
  return [["date", "environment", "billable", ...columns], ...days];
}

async function keysUsed(caller: Caller, period: UsageQuery) {
  const used = await listUsageByKey(caller, period);
  const ids = used.map(({ apiKeyId }) => apiKeyId);
  const names = await apiKeyNames(caller, ids);
  const { environment } = caller.partition;
  const keys = used.map(({ apiKeyId, apiRequests }) => {
    const { name = "", hint = "" } = names.get(apiKeyId) ?? {};
    return [apiKeyId, name, hint, environment, String(environment === "live"), apiRequests];
  });
  return [["keyId", "name", "key", "environment", "billable", "apiRequests"], ...keys];
}
