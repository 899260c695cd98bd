import { runStatement } from "@/lib/platform/db";
import { currentTime } from "@/lib/platform/time";
import { firstIdAt } from "@/lib/resources/ids";
import { countDayStatement, nextDayStatement } from "./count-finished-days.sql";
import { dayOf, endOfDay } from "./schema";

/**
 * A row's id is made before its transaction commits, which has to happen within seconds, and by a
 * clock that may be behind: so long after its end a day gets no more rows.
 */
const lateMs = 3_600_000;

/**
 * Counts conversations and messages of days that are over, once and for all: what usage would else
 * count from the rows each time. One batch is one day of some tenants.
 * @param limit tenants
 * @returns `limit` where any were counted, as there may be more
 */
export async function countFinishedDays(limit: number): Promise<number> {
  const now = currentTime() ?? new Date();
  const [next] = await runStatement<{ day: string }>(nextDayStatement, [
    dayOf(now.getTime() - lateMs),
  ]);
  if (!next) return 0;
  const bounds = [new Date(next.day), endOfDay(next.day)];
  const ids = (["conversation", "message"] as const).flatMap((kind) =>
    bounds.map((time) => firstIdAt(kind, time)),
  );
  const counted = await runStatement(countDayStatement, [next.day, limit, ...ids]);
  return counted.length > 0 ? limit : 0;
}
