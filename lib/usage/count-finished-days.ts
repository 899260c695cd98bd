import { runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { isConnectionFailure } from "@/lib/platform/sql-errors";
import { firstIdAt } from "@/lib/resources/ids";
import { countDayStatement, nextDayStatement } from "./count-finished-days.sql";
import { endOfDay } from "./schema";

type Next = { day: string; tenantIds: string[] };

const leftOutTenants = leaveOut(
  "a day could not be counted and will be tried again; usage reads its rows",
  { forMs: 3_600_000 },
);

/**
 * Counts the conversations and messages of finished days and stores the result, so that usage need
 * not count the rows each time. One batch is one day of some tenants. If it fails, they are counted
 * one by one, so that a tenant with very many rows does not hold up the others.
 * @param limit tenants
 * @returns `limit` if any tenant was counted, because there may be more
 */
export async function countFinishedDays(limit: number): Promise<number> {
  const [next] = await runSql<Next>(nextDayStatement({ limit, except: leftOutTenants.ids() }));
  if (!next) return 0;
  const { day, tenantIds } = next;
  try {
    return (await countDay(day, tenantIds)) > 0 ? limit : 0;
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    for (const id of tenantIds)
      await leftOutTenants.attempt(id, { tenantId: id, day }, () => countDay(day, [id]));
    return limit;
  }
}

/** @returns how many tenants were counted */
async function countDay(day: string, tenantIds: string[]): Promise<number> {
  const [start, end] = [new Date(day), endOfDay(day)];
  const counted = await runSql(
    countDayStatement({
      ...{ day, tenantIds },
      firstConversationId: firstIdAt("conversation", start),
      nextConversationId: firstIdAt("conversation", end),
      firstMessageId: firstIdAt("message", start),
      nextMessageId: firstIdAt("message", end),
    }),
  );
  return counted.length;
}
