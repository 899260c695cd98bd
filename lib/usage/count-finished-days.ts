import { runSql } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { firstIdAt } from "@/lib/resources/ids";
import { countDayStatement, nextDayStatement } from "./count-finished-days.sql";
import { dayOf, endOfDay } from "./schema";

/**
 * A row's id is created up to some seconds before its transaction commits, by a clock that may be
 * slow. This long after its end, a day gets no more rows.
 */
const lateMs = 3_600_000;

/**
 * Counts the conversations and messages of finished days and stores the result, so that usage need
 * not count the rows each time. One batch is one day of some tenants.
 * @param limit tenants
 * @returns `limit` if any tenant was counted, because there may be more
 */
export async function countFinishedDays(limit: number): Promise<number> {
  const before = dayOf(now().getTime() - lateMs);
  const [next] = await runSql<{ day: string }>(nextDayStatement({ before }));
  if (!next) return 0;
  const [start, end] = [new Date(next.day), endOfDay(next.day)];
  const counted = await runSql(
    countDayStatement({
      day: next.day,
      limit,
      firstConversationId: firstIdAt("conversation", start),
      nextConversationId: firstIdAt("conversation", end),
      firstMessageId: firstIdAt("message", start),
      nextMessageId: firstIdAt("message", end),
    }),
  );
  return counted.length > 0 ? limit : 0;
}
