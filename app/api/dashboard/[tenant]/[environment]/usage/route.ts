import { z } from "zod";
import { csvResponse, refusal } from "@/app/(dashboard)/csv-response";
import { parse } from "@/app/(dashboard)/run-action";
import type { PlaceParams } from "@/app/api/dashboard/json-route";
import { apiKeyNames } from "@/lib/api-keys/service";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import type { Caller } from "@/lib/platform/caller";
import { csvStart, toCsvLine } from "@/lib/platform/csv";
import { readFromReplica } from "@/lib/platform/replica";
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
  const { tenant: slug, environment: environmentName } = await params;
  const { user, tenant, environment, identity } = await dashboardPlace(slug, environmentName);
  try {
    await throttleDashboard(user.id, tenant.id);
    const { by, month = monthOf(new Date()) } = parse(
      downloadQuery,
      Object.fromEntries(new URL(request.url).searchParams),
      "query",
    );
    const rows = await readFromReplica(identity, (caller) =>
      by === "day" ? daysUsed(caller, daysOfMonth(month)) : keysUsed(caller, daysOfMonth(month)),
    );
    return csvResponse(`usage-${tenant.slug}-${environment}-${month}-by-${by}`, toCsv(rows));
  } catch (error) {
    const refused = refusal(error);
    if (refused) return refused;
    throw error;
  }
}

type Row = (string | number)[];

async function* toCsv(rows: Row[]) {
  yield csvStart + rows.map(toCsvLine).join("");
}

async function daysUsed(caller: Caller, period: UsageQuery): Promise<Row[]> {
  const { series, environment, billable } = await getUsage(caller, period);
  const days = series.map(({ date, ...figures }) => [
    date,
    environment,
    String(billable),
    ...columns.map((name) => figures[name]),
  ]);
  return [["date", "environment", "billable", ...columns], ...days];
}

async function keysUsed(caller: Caller, period: UsageQuery): Promise<Row[]> {
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
