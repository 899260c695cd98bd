import type { Query } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { type ListRequestLogs, searchRequestLogsQuery } from "@/lib/request-logs/schema";
import { type Range, rangeBetween, rangeEndingNow, ranges, type TimeRange } from "./log-time-range";

/** The requests that the page's query selects. Parameters that only affect the page are left out. */
export function searchOf(query: Query, now: Date): ListRequestLogs {
  const {
    range,
    live: _live,
    request: _id,
    open: _open,
    group: _group,
    before,
    ...filters
  } = query;
  const start = before === undefined ? filters : { ...filters, cursor: before };
  const search = parse(searchRequestLogsQuery, start, "query");
  const { since, until } = chosenTime(range, search, now);
  return { ...search, since, until };
}

export const isTimeGiven = ({ since, until }: ListRequestLogs) =>
  since !== undefined || until !== undefined;

export const rangeOf = (range: Query[string]): Range =>
  typeof range === "string" && Object.hasOwn(ranges, range) ? (range as Range) : "24h";

export const chosenTime = (range: Query[string], search: ListRequestLogs, now: Date): TimeRange =>
  isTimeGiven(search)
    ? rangeBetween(search.since, search.until, now)
    : rangeEndingNow(rangeOf(range), now);
