import { type AuditReceipt, recordAudit } from "@/lib/audit/service";
import { newestSearchChange } from "@/lib/conversations/search-index";
import { recordEvent } from "@/lib/events/record-event";
import { isCleared, redactEvents } from "@/lib/events/redact";
import type { Event } from "@/lib/events/schema";
import { deleteFilesOfMessages } from "@/lib/files/service";
import { type Caller, mutate, type Partition, system } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { logDelaySeconds } from "@/lib/request-logs/log-delay";
import { firstIdAt } from "@/lib/resources/ids";
import type { ErasurePhase } from "@/prisma/generated/enums";
import type { ErasureModel } from "@/prisma/generated/models";
import { clearObject } from "./clear-object";
import { type Identifiers, patternsOf, rowsABatch, withEarlier } from "./identifiers";
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

/** Another process's clock can be ahead by this much. */
const clockToleranceMs = 5_000;
/** How long the last phase waits for other jobs before it looks again. */
const restDelayMs = 1_000;

/** What a batch did. `changes` are those of the task's row; the counts are added to it. */
type Changes = Partial<Omit<Task, "receipt"> & { receipt: AuditReceipt }>;
type Step = { counts?: Partial<ErasureCounts>; changes: Changes; isFull: boolean };
type Task = ErasureModel & { identifiers: Identifiers[] };

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

/**
 * Works off the erasure that has waited longest, one batch per transaction. The position is saved
 * with each batch, and clearing a row again changes nothing, so a crash at any moment costs nothing.
 * @param limit rows
 * @returns `limit` if there may be more to do
 */
export async function workOffErasures(limit: number): Promise<number> {
  const [next] = await runSql<Partition & { id: string }>(nextErasureStatement({}));
  if (!next) return 0;
  const { id, ...partition } = next;
  return mutate(system(partition), async (caller) => {
    const [locked] = await runSql<{ id: string }>(nextErasureStatement({}), caller);
    // Another worker holds it, or has just saved its progress.
    if (locked?.id !== id) return 0;
    const where = { tenantId_environment_id: { ...partition, id } };
    const task = (await caller.db.erasure.findUniqueOrThrow({ where })) as Task;
    const step = await phases[task.phase](caller, task, limit);
    if (!step) return 0;
    const counts = added(task.counts as ErasureCounts, step.counts ?? {});
    const { identifiers, receipt, ...columns } = step.changes;
    await caller.db.erasure.update({
      where,
      data: {
        nextAt: now(),
        ...columns,
        counts,
        ...(identifiers && { identifiers }),
        ...(receipt && { receipt }),
      },
    });
    return step.isFull ? limit : 0;
  });
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
  const { customerId } = task;
  const at = now();
  let { afterId, afterSequence } = task;
  let [messages, conversations, files] = [0, 0, 0];
  while (messages < limit && conversations < conversationsABatch) {
    const [next] = await runSql<{ id: string }>(
      nextConversationStatement({ ...partition, customerId, afterId }),
      caller,
    );
    if (!next) {
      const changes = { ...enter("EVENTS"), afterSequence: 0, clearedAt: at };
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
    await runSql(eraseConversationStatement({ ...partition, id: conversationId, at }), caller);
    conversations++;
    [afterId, afterSequence] = [conversationId, 0];
  }
  return {
    counts: { messages, conversations, files },
    changes: { afterId, afterSequence },
    isFull: true,
  };
}

async function eraseEvents(caller: Caller, task: Task, limit: number): Promise<Step> {
  const { customerId, afterId, clearedAt } = task;
  const read = await runSql<{ id: string; payload: string | null }>(
    eventsToEraseStatement({
      ...caller.partition,
      customerId,
      afterId,
      limit,
      clearedAt: new Date((clearedAt ?? now()).getTime() + clockToleranceMs),
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
    eraseRecordsStatement({ ...caller.partition, customerId, afterId, patterns, limit }),
    caller,
  );
  const isLast = !batch || batch.read < limit;
  // Until now, a repeated request could still get its stored response.
  const clearedAt = now();
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
  const { customerId, afterId, clearedAt } = task;
  const patterns = patternsOf(task.identifiers);
  const limit = rowsABatch(most, patterns);
  const before = new Date((clearedAt ?? now()).getTime() + clockToleranceMs);
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
    const nextAt = new Date(now().getTime() + restDelayMs);
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
    changes: { phase: "COMPLETED", completedAt: now(), identifiers: [], receipt },
    isFull: true,
  };
}
