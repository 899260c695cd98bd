import { operation } from "@/lib/api/operation";
import { usage, usageQuery } from "@/lib/usage/schema";
import { getUsage } from "@/lib/usage/service";

export const GET = operation({
  operationId: "getUsage",
  summary: "Get what was used, a day and in all",
  description:
    "This month unless asked otherwise, 366 days at the most. What is done with test keys is counted too, and never billed.",
  scope: "read:usage",
  query: usageQuery,
  response: usage,
  run: ({ caller, query }) => getUsage(caller, query),
});
