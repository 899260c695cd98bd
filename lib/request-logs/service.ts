import type { Caller } from "@/lib/caller";
import { notFound } from "@/lib/errors";
import { firstIdAt } from "@/lib/ids";
import { pageById, toPage } from "@/lib/schema";
import type { RequestLogModel } from "@/prisma/generated/models";
import type { ListRequestLogs, RequestLog, RequestLogWithBodies, StatusClass } from "./schema";
import { countRequestsStatement } from "./service.sql";

const withoutBodies = { requestBody: true, responseBody: true } as const;

/** Requests of the last 30 days, newest first unless asked otherwise, without their bodies. */
export async function listRequestLogs({ db, partition }: Caller, { since, until, status, path, ...query }: ListRequestLogs) {
  const { cursor, limit, order, ...filters } = query;
  const { after, orderBy, take } = pageById({ cursor, limit, order });
  const between = { ...(since && { gte: firstIdAt("request", since) }), ...(until && { lt: firstIdAt("request", until) }) };
  const conditions = [after, { id: between }, statusCondition(status), path ? { path: { startsWith: path } } : {}, definedOnly(filters)];
  const rows = await db.requestLog.findMany({ where: { ...partition, AND: conditions }, orderBy, take, omit: withoutBodies });
  return toPage(rows, limit, toRequestLog);
}

export async function getRequestLog({ db, partition }: Caller, id: string): Promise<RequestLogWithBodies> {
  const found = await db.requestLog.findUnique({ where: { tenantId_environment_id: { ...partition, id } } });
  if (!found) throw notFound("request", id);
  return { ...toRequestLog(found), requestBody: found.requestBody, responseBody: found.responseBody };
}

/** Requests from one time to the next, by how they ended. */
export type RequestCount = { from: Date; to: Date; succeeded: number; refused: number; failed: number };

/**
 * How many requests there were, in equal parts of the time from `since` to `until`.
 * @param parts 1 to 200
 */
export async function countRequests({ db, partition }: Caller, since: Date, until: Date, parts: number): Promise<RequestCount[]> {
  const lengthMs = (until.getTime() - since.getTime()) / parts;
  const times = Array.from({ length: parts + 1 }, (_, index) => new Date(Math.round(since.getTime() + index * lengthMs)));
  const bounds = times.map((time) => firstIdAt("request", time));
  type Row = { place: number; succeeded: number; refused: number; failed: number };
  const rows = await db.$queryRawUnsafe<Row[]>(countRequestsStatement.text, partition.tenantId, partition.environment, bounds);
  return rows.map(({ place, ...counts }) => ({ from: times[place - 1] ?? since, to: times[place] ?? until, ...counts }));
}

function statusCondition(status: number | StatusClass | undefined) {
  if (status === undefined) return {};
  if (typeof status === "number") return { status };
  const hundred = Number(status[0]) * 100;
  return { status: { gte: hundred, lt: hundred + 100 } };
}

function definedOnly<Filters extends object>(filters: Filters): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Filters;
}

function toRequestLog(row: Omit<RequestLogModel, "requestBody" | "responseBody">): RequestLog {
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
    createdAt: row.createdAt.toISOString(),
  };
}
