import {
  firstShown,
  isPlaceOfNotes,
  type NotedRequest,
  notedRequests,
  placeOfNotes,
} from "@/lib/events/noted-requests";
import {
  clearPreview,
  eventsOfMessage,
  eventsWithPreview,
  redactEvents,
  requestOf,
  type StoredEvent,
} from "@/lib/events/redact";
import { abandonBlob } from "@/lib/platform/blobs/service";
import { type Caller, type Partition, system, withDatabase } from "@/lib/platform/caller";
import { type Db, db, runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { logDelaySeconds } from "@/lib/request-logs/log-delay";
import { firstIdAt, type IdKind, idTimeMs, kindOfId } from "@/lib/resources/ids";
import {
  clearLogsStatement,
  continueDeletionStatement,
  deleteChunksStatement,
  deleteDocumentStatement,
  deleteMessagesStatement,
  finishDeletionStatement,
  lockKnowledgeBaseStatement,
  nextDeletionStatement,
  requestsReturningStatement,
} from "./work-off-deletions.sql";

type Task = {
  id: string;
  afterId: string;
  deletedAt: Date;
  /** Of a redacted message. Null if an earlier version redacted it. */
  conversationId: string | null;
  postedAt: Date | null;
  idempotencyKeys: string[];
};

/** Takes at most `limit` rows. @returns how many, which is fewer once nothing is left */
type Batch = (caller: Caller, task: Task, limit: number) => Promise<number>;

const batches: Partial<Record<IdKind, Batch>> = {
  conversation: deleteMessages,
  knowledgeBase: deleteDocuments,
  message: clearTraces,
  file: clearUpload,
};

/** Limits how long one call takes. The next call continues. */
const maximumBatches = 20;

/**
 * Deletes what deleted conversations and knowledge bases left behind, and clears the logs of
 * redacted messages and of their files. Each batch is a transaction of its own, so nothing is locked
 * for long, and a crash costs nothing.
 * @param limit rows
 * @returns how many rows were deleted, at least `limit` if there is more
 */
export async function workOffDeletions(limit: number): Promise<number> {
  let total = 0;
  for (let count = 0; count < maximumBatches; count++) {
    const deleted = await workOffBatch(limit);
    if (deleted === null) return total;
    total += deleted;
  }
  return Math.max(total, limit);
}

/** Before every environment. */
const start: Partition = { tenantId: "", environment: "live" };

/** The environment that had the last turn. Each worker counts its own turns. */
let last = start;

const leftOutDeletions = leaveOut(
  "what a deletion left behind could not be removed and will be tried again",
);

/** @returns null if nothing is left to do */
async function workOffBatch(limit: number): Promise<number | null> {
  let next: (Partition & Task) | undefined;
  try {
    return await db().$transaction(async (transaction) => {
      next = (await nextAfter(transaction, last)) ?? (await nextAfter(transaction, start));
      if (!next) return null;
      const { tenantId, environment, ...task } = next;
      const partition = { tenantId, environment };
      last = partition;
      const caller = withDatabase(system(partition), transaction);
      const kind = kindOfId(task.id);
      const taken = (await (kind && batches[kind])?.(caller, task, limit)) ?? 0;
      if (taken < limit)
        await runSql(finishDeletionStatement({ ...partition, id: task.id }), caller);
      return taken;
    });
  } catch (error) {
    if (!next) throw error;
    const { tenantId, environment, id } = next;
    leftOutDeletions.add(id, { tenantId, environment, deletedId: id }, error);
    return 0;
  }
}

async function nextAfter(transaction: Db, { tenantId, environment }: Partition) {
  const statement = nextDeletionStatement({
    logDelaySeconds: logDelaySeconds(),
    afterTenantId: tenantId,
    afterEnvironment: environment,
    except: leftOutDeletions.ids(),
  });
  const [next] = await runSql<Partition & Task>(statement, { db: transaction });
  return next;
}

async function deleteMessages(caller: Caller, { id }: Task, limit: number): Promise<number> {
  // Triggers delete their files and search entries.
  const deleted = await runSql(deleteMessagesStatement({ ...caller.partition, id, limit }), caller);
  return deleted.length;
}

async function deleteDocuments(caller: Caller, { id }: Task, limit: number): Promise<number> {
  const base = { ...caller.partition, id };
  const chunks = await runSql(deleteChunksStatement({ ...base, limit }), caller);
  if (chunks.length > 0) return limit;
  const [document] = await runSql<{ file: string }>(deleteDocumentStatement(base), caller);
  if (document) {
    await abandonBlob(caller, document.file);
    return limit;
  }
  await runSql(lockKnowledgeBaseStatement(base), caller);
  const where = { ...caller.partition, knowledgeBaseId: id };
  if (await caller.db.document.findFirst({ where, select: { id: true } })) return limit;
  await caller.db.knowledgeBase.deleteMany({ where: { ...caller.partition, id } });
  return 0;
}

/** Another process's clock can be ahead by this much. */
const clockToleranceMs = 5_000;

/** What is left of a redacted message: its preview in events of its conversation, and logs. */
async function clearTraces(
  caller: Caller,
  { id, afterId, conversationId, postedAt, idempotencyKeys }: Task,
  limit: number,
): Promise<number> {
  const { partition } = caller;
  // All events have been read.
  if (isPlaceOfNotes(afterId)) return clearNoted(caller, { id, afterId }, limit);
  const message = await caller.db.message.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
    select: { conversationId: true, createdAt: true, direction: true, redactedAt: true },
  });
  const isNote = message?.direction === "INTERNAL";
  // The message may have been deleted with its conversation since.
  const known = conversationId && postedAt ? { conversationId, createdAt: postedAt } : message;
  const own = isNote ? [] : await eventsOfMessage(caller, { id, createdAt: known?.createdAt });
  const place = known ?? placeIn(own[0]);
  const { events, lastId } = place
    ? await eventsWithPreview(
        caller,
        { id, ...place, redactedAt: message?.redactedAt },
        { afterId, limit },
      )
    : { events: [], lastId: null };
  await redactEvents(caller, events, clearPreview);
  const isFirst = afterId === "";
  const requests = [...events, ...(isFirst ? own : [])].flatMap((event) => {
    const request = requestOf(event);
    return request ? [{ id: request.id, key: request.idempotencyKey, at: timeOfId(event.id) }] : [];
  });
  if (isFirst && own.length === 0)
    for (const requestId of await requestsOfNote(caller, id))
      requests.push({ id: requestId, key: null, at: timeOfId(id) });
  if (isFirst) requests.push(...idempotencyKeys.map((key) => ({ id: "", key, at: timeOfId(id) })));
  const notes = place && placeOfNotes(place.conversationId, firstShown(id, place.createdAt));
  const noted = isFirst && notes ? await notedRequests(caller, notes, limit) : null;
  await clearLogs(caller, [...requests, ...(noted?.requests ?? [])]);
  const next = lastId ?? (noted ? noted.nextPlace : notes);
  if (next === null) return 0;
  await runSql(continueDeletionStatement({ ...partition, id, afterId: next }), caller);
  return limit;
}

/** The upload of a file of a redacted message: its request has the file's name and hash. */
async function clearUpload(caller: Caller, task: Task, limit: number): Promise<number> {
  const afterId = task.afterId || placeOfNotes(task.id, new Date(0));
  return clearNoted(caller, { ...task, afterId }, limit);
}

/** Requests that returned a resource as it was. `afterId` is a place among their notes. */
async function clearNoted(
  caller: Caller,
  { id, afterId }: Pick<Task, "id" | "afterId">,
  limit: number,
): Promise<number> {
  const { requests, nextPlace } = await notedRequests(caller, afterId, limit);
  await clearLogs(caller, requests);
  if (nextPlace === null) return 0;
  await runSql(continueDeletionStatement({ ...caller.partition, id, afterId: nextPlace }), caller);
  return limit;
}

async function clearLogs(caller: Caller, requests: NotedRequest[]): Promise<void> {
  if (requests.length === 0) return;
  const clearing = clearLogsStatement({
    ...caller.partition,
    requestIds: requests.map((request) => request.id),
    keys: requests.map(({ key }) => key),
    times: requests.map(({ at }) => at),
  });
  await runSql(clearing, caller);
}

const timeOfId = (id: string) => new Date(idTimeMs(id));

type Place = { conversationId: string; createdAt: Date };

/** What the event of a message says. */
function placeIn(event: StoredEvent | undefined): Place | null {
  if (!event) return null;
  const { data } = JSON.parse(event.payload) as {
    data: { object: { conversationId: string; createdAt: string } };
  };
  const { conversationId, createdAt } = data.object;
  return { conversationId, createdAt: new Date(createdAt) };
}

/** A request can wait this long for other changes of the conversation. */
const longestRequestMs = 5 * 60_000;

/** A note has no event that names its request, so this finds the one that returned it. */
async function requestsOfNote(caller: Caller, id: string): Promise<string[]> {
  const at = idTimeMs(id);
  const found = await runSql<{ id: string }>(
    requestsReturningStatement({
      ...caller.partition,
      id,
      afterId: firstIdAt("request", new Date(at - longestRequestMs)),
      beforeId: firstIdAt("request", new Date(at + clockToleranceMs)),
    }),
    caller,
  );
  return found.map((request) => request.id);
}
