import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { firstIdAt, idTimeMs } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { toPage } from "@/lib/resources/pages";
import { retentionKinds } from "@/lib/retention/kinds";
import type { RequestLogModel } from "@/prisma/generated/models";
import type { ErrorGroup, ListRequestLogs, RequestLog, RequestLogWithBodies } from "./schema";
import {
  countRequestsOfKeyStatement,
  countRequestsStatement,
  groupErrorsStatement,
  searchRequestLogsStatement,
  sumRequestHoursOfKeysStatement,
  sumRequestHoursStatement,
} from "./service.sql";

const hourMs = 3_600_000;
const shownMs = retentionKinds.requestLogs.maximum * 24 * hourMs;

/** Weeks are dropped as a whole, so there are rows that are up to 37 days old. */
function ofShownDays<Query extends ListRequestLogs>(query: Query): Query {
  const oldest = new Date(now().getTime() - shownMs);
  return query.since && query.since > oldest ? query : { ...query, since: oldest };
}

type RequestLogRow = Omit<RequestLogModel, "tenantId" | "requestBody" | "responseBody">;

/** The only row of a search that found nothing has no request. */
type SearchedRow = (RequestLogRow | { id: null }) & { ends?: string[] | null };

const hasRequest = (row: SearchedRow): row is SearchedRow & RequestLogRow => row.id !== null;

export type RequestLogPage = { data: RequestLog[]; nextCursor?: string; lookedBackTo?: Date };

/**
 * Requests of the last 30 days without their bodies, newest first by default. If the scan ended
 * before the page was full, `lookedBackTo` says how far back it got, and `nextCursor` continues
 * from there.
 */
export async function listRequestLogs(
  caller: Caller,
  query: ListRequestLogs,
  options?: { isWithoutReadsOfLog: boolean },
): Promise<RequestLogPage> {
  const statement = searchRequestLogsStatement(caller.partition, ofShownDays(query), options);
  const read = await readRows<SearchedRow>(statement, caller);
  const page = toPage(read.filter(hasRequest), query.limit, toRequestLog);
  const [last, next] = read[0]?.ends ?? [];
  if (!last || !next) return page;
  return { ...page, nextCursor: last, lookedBackTo: new Date(idTimeMs(last)) };
}

/** The most frequent errors of the requests that a query selects, among the latest ones. */
export async function errorGroups(caller: Caller, query: ListRequestLogs): Promise<ErrorGroup[]> {
  return readRows<ErrorGroup>(groupErrorsStatement(caller.partition, ofShownDays(query)), caller);
}

export async function getRequestLog(
  { db, partition }: Caller,
  id: string,
): Promise<RequestLogWithBodies> {
  const found = await db.requestLog.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (!found) throw notFound("request", id);
  return {
    ...toRequestLog(found),
    requestBody: found.requestBody,
    responseBody: found.responseBody,
  };
}

/** Dashboard requests have ids too, but are not in the log. */
export async function hasRequestLog({ db, partition }: Caller, id: string): Promise<boolean> {
  const where = { tenantId_environment_id: { ...partition, id } };
  return (await db.requestLog.findUnique({ where, select: { id: true } })) !== null;
}

/** Numbers of requests in a period, by outcome. */
export type RequestCount = {
  from: Date;
  to: Date;
  succeeded: number;
  rejected: number;
  failed: number;
};

type Sums = Omit<RequestCount, "from" | "to"> & { place: number };

/** A period, divided into equal parts. */
export type Parts = { since: Date; until: Date; parts: number };

/**
 * The number of requests in each part of a period, for all keys or one. Counts individual requests,
 * so use it only for short periods.
 */
export async function countRequests(
  caller: Caller,
  time: Parts,
  apiKeyId?: string,
): Promise<RequestCount[]> {
  const times = boundsOf(time);
  const values = { ...caller.partition, firstIds: times.map((at) => firstIdAt("request", at)) };
  return inParts(
    times,
    apiKeyId === undefined
      ? await readRows<Sums>(countRequestsStatement(values), caller)
      : await readRows<Sums>(countRequestsOfKeyStatement({ ...values, apiKeyId }), caller),
  );
}

/**
 * The same from hourly counts, which is as cheap for a month as for a day. All parts start on the
 * hour.
 */
export async function countRequestHours(caller: Caller, time: Parts): Promise<RequestCount[]> {
  const times = boundsOf(time);
  const statement = sumRequestHoursStatement({ ...caller.partition, times });
  return inParts(times, await readRows<Sums>(statement, caller));
}

/** The same for each of these keys, by its id. */
export async function countRequestHoursOfKeys(
  caller: Caller,
  apiKeyIds: string[],
  time: Parts,
): Promise<Map<string, RequestCount[]>> {
  const times = boundsOf(time);
  const rows = await readRows<Sums & { apiKeyId: string }>(
    sumRequestHoursOfKeysStatement({ ...caller.partition, times, apiKeyIds }),
    caller,
  );
  return new Map(
    apiKeyIds.map((id) => [
      id,
      inParts(
        times,
        rows.filter(({ apiKeyId }) => apiKeyId === id),
      ),
    ]),
  );
}

/** The last hours, including the current one, in parts of `hoursPerPart`. */
export function lastHours(now: Date, hours = 24, hoursPerPart = 1): Parts {
  const partMs = hoursPerPart * hourMs;
  const until = new Date(Math.floor(now.getTime() / partMs + 1) * partMs);
  return { since: new Date(until.getTime() - hours * hourMs), until, parts: hours / hoursPerPart };
}

function boundsOf({ since, until, parts }: Parts): Date[] {
  const lengthMs = (until.getTime() - since.getTime()) / parts;
  return Array.from(
    { length: parts + 1 },
    (_, index) => new Date(Math.round(since.getTime() + index * lengthMs)),
  );
}

function inParts(times: Date[], rows: Sums[]): RequestCount[] {
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return times.slice(0, -1).map((from, index) => {
    const { succeeded = 0, rejected = 0, failed = 0 } = byPlace.get(index + 1) ?? {};
    return { from, to: times[index + 1] ?? from, succeeded, rejected, failed };
  });
}

function toRequestLog(row: RequestLogRow): RequestLog {
  return {
    id: row.id,
    environment: row.environment,
    apiKeyId: row.apiKeyId,
    method: row.method,
    path: row.path,
    status: row.status,
    durationMs: row.durationMs,
    errorKind: row.errorKind,
    idempotencyKey: row.idempotencyKey,
    address: row.address,
    userAgent: row.userAgent,
    isReplay: row.isReplay,
    createdAt: row.createdAt.toISOString(),
  };
}
