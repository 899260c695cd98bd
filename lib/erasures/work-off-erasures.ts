import { type AuditReceipt, recordAudit } from "@/lib/audit/service";
import { newestSearchChange } from "@/lib/conversations/search-index";
import { recordEvent } from "@/lib/events/record-event";
import { clearResponses, isCleared, redactEvents } from "@/lib/events/redact";
import type { Event } from "@/lib/events/schema";
import { deleteFilesOfMessages } from "@/lib/files/service";
import { type Caller, mutate, type Partition, system } from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import { logDelaySeconds } from "@/lib/request-logs/log-delay";
import { firstIdAt } from "@/lib/resources/ids";
import type { ErasurePhase } from "@/prisma/generated/enums";
import type { ErasureModel } from "@/prisma/generated/models";
import { clearObject } from "./clear-object";
import { type Identifiers, patternsOf, rowsABatch, withEarlier, wordsOf } from "./identifiers";
import type { ErasureCounts } from "./schema";
import {
  deleteViewsStatement,
  eraseConversationStatement,
  eraseLogsStatement,
  eraseMessagesStatement,
  eraseRecordsStatement,
  eventsToEraseStatement,
  isErasureUnfinishedStatement,
  nextConversationStatement,
  nextErasureStatement,
} from "./service.sql";

/** Another process's clock can be ahead of the database's by this much. */
const clockToleranceMs = 5_000;
/** For logs, by more: those of later requests that mention the customer are cleared, too. */
const logToleranceMs = 600_000;
/** How long the last phase waits for other jobs before it looks again. */
const restDelayMs = 1_000;
/** How long an erasure waits if even a batch of one row failed. */
const failedDelayMs = 60_000;

/** What a batch did. `changes` are those of the task's row; the counts are added to it. */
type Changes = Partial<Omit<Task, "receipt" | "at"> & { receipt: AuditReceipt }>;
type Step = { counts?: Partial<ErasureCounts>; changes: Changes; isFull: boolean };
/** `at` is the database's time. */
type Task = ErasureModel & { identifiers: Identifiers[]; at: Date };

const phases: Record<
  ErasurePhase,
  (caller: Caller, task: Task, limit: number) => Promise<Step | null>
> = {
  CONVERSATIONS: eraseConversations,
  EVENTS: eraseEvents,
  IDEMPOTENCY_RECORDS: eraseRecords,
  REQUEST_LOGS: eraseLogs,
  REST: complete,
  COMPLETED: async () => null,
};

/** The environment that had the last turn. Each worker counts its own turns. */
let last: Partition = { tenantId: "", environment: "live" };

/**
 * How many rows this worker's batches of an erasure may have since one failed: comparing some texts with
 * some values takes far longer than usual. Each that succeeds has twice as many as the one before.
 */
const smallerBatches = new Map<string, number>();

type Next = Partition & { id: string; at: Date };

/**
 * Works off the next environment's oldest erasure, one batch per transaction. The position is saved
 * with each batch, and clearing a row again changes nothing, so a crash at any moment costs nothing.
 * @param limit rows
 * @returns `limit` if there may be more to do
 */
export async function workOffErasures(limit: number): Promise<number> {
  const statement = nextErasureStatement({
    afterTenantId: last.tenantId,
    afterEnvironment: last.environment,
  });
  const [next] = await runSql<Next>(statement);
  if (!next) return 0;
  const { id, at: _at, ...partition } = next;
  last = partition;
  const rows = Math.min(limit, smallerBatches.get(id) ?? limit);
  try {
    const done = await mutate(system(partition), async (caller) => {
      const [locked] = await runSql<Next>(statement, caller);
      // Another worker holds it, or has just saved its progress.
      if (locked?.id !== id) return 0;
      const where = { tenantId_environment_id: { ...partition, id } };
      const stored = (await caller.db.erasure.findUniqueOrThrow({ where })) as Omit<Task, "at">;
      const task = { ...stored, at: locked.at };
      const step = await phases[task.phase](caller, task, rows);
      if (!step) return 0;
      const counts = added(task.counts as ErasureCounts, step.counts ?? {});
      const { identifiers, receipt, ...columns } = step.changes;
      await caller.db.erasure.update({
        where,
        data: {
          nextAt: task.at,
          ...columns,
          counts,
          ...(identifiers && { identifiers }),
          ...(receipt && { receipt }),
        },
      });
      return step.isFull ? limit : 0;
    });
    if (2 * rows < limit) smallerBatches.set(id, 2 * rows);
    else smallerBatches.delete(id);
    return done;
  } catch (error) {
    smallerBatches.set(id, Math.max(1, Math.floor(rows / 4)));
    // One that fails nevertheless does not hold up later ones of its environment.
    if (rows === 1)
      await db().erasure.updateMany({
        where: { ...partition, id },
        data: { nextAt: new Date(next.at.getTime() + failedDelayMs) },
      });
    throw error;
  }
}

const added = (first: ErasureCounts, second: Partial<ErasureCounts>): ErasureCounts =>
  Object.fromEntries(
    Object.entries(first).map(([name, count]) => [
      name,
      count + (second[name as keyof ErasureCounts] ?? 0),
    ]),
  ) as ErasureCounts;

const enter = (phase: ErasurePhase): Changes => ({ phase, afterId: "" });

/** Each conversation costs some statements. */
const conversationsABatch = 50;

async function eraseConversations(caller: Caller, task: Task, limit: number): Promise<Step> {
  const { partition } = caller;
  const { customerId, at } = task;
  let { afterId, afterSequence } = task;
  let clearedAt = later(task.clearedAt, at);
  let [messages, conversations, files] = [0, 0, 0];
  while (messages < limit && conversations < conversationsABatch) {
    const [next] = await runSql<{ id: string }>(
      nextConversationStatement({ ...partition, customerId, afterId }),
      caller,
    );
    if (!next) {
      const changes = { ...enter("EVENTS"), afterSequence: 0, clearedAt };
      return { counts: { messages, conversations, files }, changes, isFull: true };
    }
    const conversationId = next.id;
    const room = limit - messages;
    const erased = await runSql<{ id: string; sequence: number }>(
      eraseMessagesStatement({ ...partition, conversationId, afterSequence, limit: room, at }),
      caller,
    );
    messages += erased.length;
    const fileIds = await deleteFilesOfMessages(
      caller,
      erased.map(({ id }) => id),
    );
    // A later phase finds their uploads by these.
    await caller.db.deletion.createMany({
      data: fileIds.map((id) => ({ ...partition, id, customerId, finishedAt: at })),
    });
    files += fileIds.length;
    if (erased.length === room) {
      afterSequence = Math.max(...erased.map(({ sequence }) => sequence));
      break;
    }
    const [cleared] = await runSql<{ updatedAt: Date }>(
      eraseConversationStatement({ ...partition, id: conversationId, at }),
      caller,
    );
    clearedAt = later(cleared?.updatedAt ?? null, clearedAt);
    conversations++;
    [afterId, afterSequence] = [conversationId, 0];
  }
  return {
    counts: { messages, conversations, files },
    changes: { afterId, afterSequence, clearedAt },
    isFull: true,
  };
}

const later = (first: Date | null, second: Date): Date =>
  first && first > second ? first : second;

async function eraseEvents(caller: Caller, task: Task, limit: number): Promise<Step> {
  const { customerId, afterId, clearedAt, at } = task;
  const read = await runSql<{ id: string; isAbout: boolean; payload: string | null }>(
    eventsToEraseStatement({
      ...caller.partition,
      customerId,
      afterId,
      limit,
      clearedAt: new Date((clearedAt ?? at).getTime() + clockToleranceMs),
    }),
    caller,
  );
  const clear = clearObject(task.createdAt);
  // A redaction of a message leaves the author in its event, and the rest of the conversation in
  // others. An earlier erasure leaves nothing.
  const events = read.flatMap(({ id, payload }) =>
    payload === null || isCleared(payload, clear) ? [] : [{ id, payload }],
  );
  const deliveries = await redactEvents(caller, events, clear);
  // Receivers may have responded with content since then, also to events that have none.
  const changed = new Set(events.map(({ id }) => id));
  const others = read.filter(({ id, isAbout }) => isAbout && !changed.has(id));
  await clearResponses(
    caller,
    others.map(({ id }) => id),
  );
  const identifiers = events
    .map(({ payload }) => JSON.parse(payload) as Event)
    .filter(({ type }) => type.startsWith("customer."))
    .reduce(withEarlier, task.identifiers);
  const last = read.at(-1);
  const isLast = !last || read.length < limit;
  return {
    counts: { events: events.length, deliveries },
    changes: {
      identifiers,
      ...(isLast ? enter("IDEMPOTENCY_RECORDS") : { afterId: last.id }),
    },
    isFull: true,
  };
}

type Read = { read: number; lastId: string; changed: number };

async function eraseRecords(caller: Caller, task: Task, most: number): Promise<Step> {
  const { customerId, afterId } = task;
  const patterns = patternsOf(task.identifiers);
  const limit = rowsABatch(most, patterns);
  const [batch] = await runSql<Read>(
    eraseRecordsStatement({
      ...caller.partition,
      ...{ customerId, afterId, patterns, limit },
      words: wordsOf(task.identifiers),
    }),
    caller,
  );
  const isLast = !batch || batch.read < limit;
  // Until now, a repeated request could still get its stored response.
  const clearedAt = task.at;
  const logsAt = new Date(clearedAt.getTime() + logDelaySeconds() * 1_000);
  return {
    counts: { idempotencyRecords: batch?.changed ?? 0 },
    changes: isLast
      ? { ...enter("REQUEST_LOGS"), clearedAt, nextAt: logsAt }
      : { afterId: batch.lastId },
    isFull: true,
  };
}

async function eraseLogs(caller: Caller, task: Task, most: number): Promise<Step> {
  const { customerId, afterId, clearedAt, at } = task;
  const patterns = patternsOf(task.identifiers);
  const limit = rowsABatch(most, patterns);
  const before = new Date((clearedAt ?? at).getTime() + logToleranceMs);
  const beforeId = firstIdAt("request", before);
  const [batch] = await runSql<Read>(
    eraseLogsStatement({ ...caller.partition, customerId, afterId, beforeId, patterns, limit }),
    caller,
  );
  const isLast = !batch || batch.read < limit;
  return {
    counts: { requestLogs: batch?.changed ?? 0 },
    changes: isLast ? enter("REST") : { afterId: batch.lastId },
    isFull: true,
  };
}

/** Once nothing else is left: deletes saved views, and writes the event and the signed entry. */
async function complete(caller: Caller, task: Task): Promise<Step> {
  const { customerId, id: erasureId } = task;
  const searchChangeId = task.afterId || (await newestSearchChange(caller));
  const [rest] = await runSql<{ isUnfinished: boolean }>(
    isErasureUnfinishedStatement({ ...caller.partition, customerId, searchChangeId }),
    caller,
  );
  if (rest?.isUnfinished) {
    const nextAt = new Date(task.at.getTime() + restDelayMs);
    return { changes: { nextAt, afterId: searchChangeId }, isFull: false };
  }
  const patterns = patternsOf(task.identifiers);
  await runSql(deleteViewsStatement({ ...caller.partition, patterns }), caller);
  const { environment } = caller.partition;
  await recordEvent(caller, "customer.erased", { id: customerId, environment, erasureId });
  const removed = task.counts as ErasureCounts;
  const receipt = await recordAudit(caller, {
    action: "customer.erased",
    targetId: customerId,
    changes: { after: { erasureId, requestedAt: task.createdAt.toISOString(), ...removed } },
  });
  return {
    changes: { phase: "COMPLETED", completedAt: task.at, identifiers: [], receipt },
    isFull: true,
  };
}
