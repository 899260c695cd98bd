import type { Caller } from "@/lib/platform/caller";

const hourMs = 3_600_000;

/** One hour of a webhook; `failures` are among the `attempts`. */
export type AttemptHour = { hour: Date; attempts: number; failures: number };

/**
 * How many attempts each webhook had in each of the last hours. Contains every hour, oldest first;
 * the last one is not over yet.
 * @param hours at most 720: older counts are deleted
 */
export async function attemptsByHour(
  { db, partition }: Caller,
  webhookIds: string[],
  { now, hours }: { now: Date; hours: number },
): Promise<Map<string, AttemptHour[]>> {
  const lastHour = Math.floor(now.getTime() / hourMs) * hourMs;
  const all = Array.from({ length: hours }, (_, index) => lastHour - (hours - 1 - index) * hourMs);
  const rows = await db.webhookHour.findMany({
    where: {
      ...partition,
      webhookId: { in: webhookIds },
      hour: { gte: new Date(all[0] ?? lastHour) },
    },
  });
  const found = new Map(rows.map((row) => [`${row.webhookId} ${row.hour.getTime()}`, row]));
  const hoursOf = (webhookId: string) =>
    all.map((hour) => {
      const row = found.get(`${webhookId} ${hour}`);
      return { hour: new Date(hour), attempts: row?.attempts ?? 0, failures: row?.failures ?? 0 };
    });
  return new Map(webhookIds.map((webhookId) => [webhookId, hoursOf(webhookId)]));
}
