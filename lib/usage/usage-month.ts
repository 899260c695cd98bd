import { z } from "zod";
import { dayOf, type UsageQuery } from "./schema";

/** `2026-01`, in UTC. */
const month = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, "must be a month, for example 2026-01")
  .meta({ description: "Defaults to this month." });

export const usageMonthQuery = z.strictObject({ month: month.optional() });

export const monthOf = (at: Date) => at.toISOString().slice(0, 7);

/** This month and the ones before it, latest first. */
export function latestMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, back) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))),
  );
}

/** A whole month as a period. */
export function daysOfMonth(month: string): Required<UsageQuery> {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { from: `${month}-01`, to: dayOf(Date.UTC(year, number, 0)) };
}
