import { type Scope, scopes } from "@/lib/api-keys/scopes";
import type { Caller } from "@/lib/platform/caller";
import { requireCursor } from "@/lib/resources/cursor";
import { notFound } from "@/lib/resources/not-found";
import { type ListRequestLogs, pathOfLog, type RequestLogWithBodies } from "./schema";
import { getRequestLog, listRequestLogs, type RequestLogPage } from "./service";

// What API keys see of the log. Members of the organization see all of it in the dashboard.

/**
 * A program that follows the log reads it again and again, so successful reads of it are left out,
 * unless the caller asks for their path.
 * @throws AppError `invalid-cursor`
 */
export async function listRequestLogsForKey(
  caller: Caller,
  query: ListRequestLogs,
): Promise<RequestLogPage> {
  await requireCursor(caller, "request_logs", query.cursor);
  const apiKeyId = seesAllKeys(caller) ? query.apiKeyId : caller.actor.id;
  if (query.apiKeyId !== undefined && query.apiKeyId !== apiKeyId) return { data: [] };
  const isWithoutReadsOfLog = !query.path?.startsWith(pathOfLog);
  return listRequestLogs(caller, { ...query, apiKeyId }, { isWithoutReadsOfLog });
}

/** @throws AppError `not-found`, also for a request that the key may not see */
export async function getRequestLogForKey(
  caller: Caller,
  id: string,
): Promise<RequestLogWithBodies> {
  const found = await getRequestLog(caller, id);
  if (found.apiKeyId !== caller.actor.id && !seesAllKeys(caller)) throw notFound("request", id);
  return found;
}

const readScopes = scopes.filter((scope: Scope) => scope.startsWith("read:"));

/**
 * Paths and bodies contain what was read and written with other scopes, such as the text of
 * messages. So only a key that may read everything sees the requests of other keys.
 */
const seesAllKeys = ({ actor }: Caller): boolean =>
  actor.type === "API_KEY" && readScopes.every((scope) => actor.scopes?.has(scope));
