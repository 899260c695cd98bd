import { operation } from "@/lib/api/operation";
import { usage, usageQuery } from "@/lib/usage/schema";
import { getUsage } from "@/lib/usage/service";

export const GET = operation({
  operationId: "getUsage",
  summary: "Get usage per day and in total",
  description:
    "This month by default, and at most 366 days. Usage with test keys is counted too, and never billed.",
  scope: "read:usage",
  mayReadReplica: true,
  query: usageQuery,
  response: usage,
  run: ({ caller, query }) => getUsage(caller, query),
});
