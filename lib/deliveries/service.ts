import { recordAudit } from "@/lib/audit/service";
import { newDeliveryId } from "@/lib/events/delivery-ids";
import { typesOfPatterns } from "@/lib/events/event-types";
import { newEvent } from "@/lib/events/record-event";
import type { Event } from "@/lib/events/schema";
import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { limitReached, notInThisStatus } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { now } from "@/lib/platform/time";
import { requireCursor } from "@/lib/resources/cursor";
import { firstIdAt } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { idsByStatus } from "@/lib/resources/page-by-status";
import { pageById, toPage } from "@/lib/resources/pages";
import { addBacklogTask, clockToleranceMs, deliveryIdsBetween } from "@/lib/webhooks/backlog-tasks";
import type { Webhook } from "@/lib/webhooks/schema";
import { getWebhook, updateWebhook } from "@/lib/webhooks/service";
import type { AttemptTrigger, DeliveryStatus } from "@/prisma/generated/enums";
import type { DeliveryModel } from "@/prisma/generated/models";
import type { BacklogChoice } from "./backlog";
import { firstAttemptOf, type StoredAttempt } from "./first-attempt";
import { countFilteredReplayStatement, countReplayStatement } from "./replay.sql";
import type { ReplyProblem } from "./reply-problems";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryWithAttempts,
  type ListDeliveries,
  type RecoverDeliveries,
  type ReplayWebhook,
  replayStatuses,
} from "./schema";

const maximumAttemptsShown = 100;
/**
 * The maximum number of requested attempts of one webhook that wait to be sent, because a user can
 * request them faster than the receiver responds.
 */
const maximumRequestedAttempts = 100;

export async function listDeliveries(
  caller: Caller,
  webhookId: string,
  { status, eventType, ...page }: ListDeliveries,
) {
  await getWebhook(caller, webhookId);
  await requireCursor(caller, "deliveries", page.cursor, webhookId);
  const { after, orderBy, take } = pageById(page);
  const isByStatusAlone = status && !eventType;
  const ids =
    isByStatusAlone &&
    (await idsByStatus("deliveries", caller, {
      parentId: webhookId,
      statuses: status,
      ...page,
    }));
  const filters = ids
    ? { id: { in: ids } }
    : { ...after, ...(status && { status: { in: status } }), ...(eventType && { eventType }) };
  const rows = await caller.db.delivery.findMany({
    where: { ...caller.partition, webhookId, ...filters },
    omit: { firstResponse: true },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, toDelivery);
}

/** For callers that only have a delivery's id. @returns the id of its webhook. */
export async function webhookOfDelivery({ db, partition }: Caller, id: string): Promise<string> {
  const where = { tenantId_environment_id: { ...partition, id } };
  const found = await db.delivery.findUnique({ where, select: { webhookId: true } });
  if (!found) throw notFound("delivery", id);
  return found.webhookId;
}

export async function getDelivery(
  caller: Caller,
  webhookId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const row = await requireDelivery(caller, webhookId, id);
  const newest: StoredAttempt[] = await caller.db.deliveryAttempt.findMany({
    where: { ...caller.partition, deliveryId: id },
    orderBy: { number: "desc" },
    take: maximumAttemptsShown,
  });
  const first = firstAttemptOf(row);
  const attempts = [...newest, ...(first ? [first] : [])].slice(0, maximumAttemptsShown);
  return { ...toDelivery(row), attempts: attempts.reverse().map(toAttempt) };
}

/**
 * Raises `webhook.test` for this webhook only, even while it is disabled. It is sent once, and a
 * failure does not count.
 * @param example an event to send in its place. The feed lists the test, so that its readers do not
 * mistake the example for a real event.
 * @throws AppError `limit-reached` while 100 requested attempts are waiting
 */
export async function sendTestEvent(
  caller: Caller,
  webhookId: string,
  example?: Event,
): Promise<Delivery> {
  requireRole(caller, "ADMIN", "send test events");
  const webhook = await getWebhook(caller, webhookId);
  await requireRoomForRequest(caller, webhookId);
  const at = new Date();
  const {
    id: eventId,
    type,
    payload,
  } = newEvent(caller, "webhook.test", webhook, at, {
    example,
  });
  await caller.db.event.create({
    data: { ...caller.partition, id: eventId, type, payload, createdAt: at },
  });
  const row = await caller.db.delivery.create({
    data: {
      ...caller.partition,
      id: newDeliveryId(eventId),
      webhookId,
      eventId,
      eventType: type,
      status: "PENDING",
      nextAttemptAt: at,
      ...requestedNow("TEST", at),
      createdAt: at,
      updatedAt: at,
    },
  });
  caller.outbox.push({ ...caller.partition, id: row.id });
  await recordAudit(caller, {
    action: "webhook.test_sent",
    targetId: webhookId,
    changes: { after: { deliveryId: row.id } },
  });
  return toDelivery(row);
}

/**
 * Requests one more attempt of a delivery, as soon as possible: the same event with a new
 * signature. If it succeeds, the delivery is delivered and pending retries are canceled. If it
 * fails, nothing changes.
 * @throws AppError `invalid-transition` while its first attempt or a requested one is pending or in
 * progress; `limit-reached` while 100 requested attempts are waiting
 */
export async function resendDelivery(
  caller: Caller,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  requireRole(caller, "ADMIN", "resend deliveries");
  await lockRow(caller, "deliveries", id);
  const row = await requireDelivery(caller, webhookId, id);
  const at = now();
  const isUnderWay = row.leaseExpiresAt !== null && row.leaseExpiresAt > at;
  if (row.requestedAt || isUnderWay || (row.status === "PENDING" && row.attemptCount === 0)) {
    const detail =
      "An attempt of this delivery is in progress or about to start. Wait until it has ended.";
    throw notInThisStatus(detail, { from: row.status, to: "PENDING" });
  }
  await requireRoomForRequest(caller, webhookId);

  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const updated = await caller.db.delivery.update({
    where,
    data: { ...requestedNow("MANUAL", at), updatedAt: at },
  });
  caller.outbox.push({ ...caller.partition, id });
  await recordAudit(caller, {
    action: "webhook.delivery_resent",
    targetId: webhookId,
    changes: { after: { deliveryId: id } },
  });
  return toDelivery(updated);
}

/**
 * Resends failed and held deliveries of a period, each with a new schedule. A job spreads them over
 * time.
 * @returns how many; with `dryRun` they are only counted
 * @throws AppError `invalid-transition` if the webhook is disabled
 */
export async function recoverDeliveries(
  caller: Caller,
  webhookId: string,
  { since, until, dryRun }: RecoverDeliveries,
) {
  requireRole(caller, "ADMIN", "recover deliveries");
  const { status } = await getWebhook(caller, webhookId);
  const range = deliveryIdsBetween(since, until);
  const where = {
    ...caller.partition,
    webhookId,
    status: { in: ["FAILED", "HELD"] satisfies DeliveryStatus[] },
    id: { gt: range.afterId, lt: range.beforeId },
    eventType: { not: "webhook.test" },
  };
  if (dryRun) return { count: await caller.db.delivery.count({ where }) };

  requireEnabled(status);
  const count = await caller.db.delivery.count({ where });
  if (count === 0) return { count };
  await addBacklogTask(caller, webhookId, "RECOVER", range);
  await recordAudit(caller, {
    action: "webhook.deliveries_recovered",
    targetId: webhookId,
    changes: { after: { since: since.toISOString(), until: until?.toISOString() ?? null, count } },
  });
  return { count };
}

/**
 * Sends the events of a period that the webhook subscribes to and that pass its filter, also those
 * that were delivered, and those from before the webhook was created. Each gets one delivery with a new schedule. A job
 * spreads them over time.
 * @returns how many; with `dryRun` they are only counted
 * @throws AppError `invalid-transition` if the webhook is disabled; `limit-reached` while another
 * replay of it is in progress
 */
export async function replayWebhook(
  caller: Caller,
  webhookId: string,
  { since, until, eventTypes, statuses = [...replayStatuses], dryRun }: ReplayWebhook,
) {
  requireRole(caller, "ADMIN", "replay events");
  const { status, events, filter } = await getWebhook(caller, webhookId);
  const typesOf = (patterns: Webhook["events"]) =>
    typesOfPatterns(patterns).filter((type) => eventTypes?.includes(type) ?? true);
  const at = now();
  const end = until?.getTime() ?? at.getTime() + clockToleranceMs;
  const bounds = [since, new Date(end + 1)] as const;
  const [afterId, beforeId] = bounds.map((at) => firstIdAt("event", at)) as [string, string];
  const [afterDeliveryId, beforeDeliveryId] = bounds.map((at) => firstIdAt("delivery", at)) as [
    string,
    string,
  ];
  const statement = filter ? countFilteredReplayStatement : countReplayStatement;
  const count = async () => {
    const [row] = await runSql<{ count: number; isMore: boolean }>(
      statement({
        ...caller.partition,
        webhookId,
        ...{ afterId, beforeId, afterDeliveryId, beforeDeliveryId },
        newDeliveryId: firstIdAt("delivery", new Date(at.getTime() + 1)),
        ...{ types: typesOf(events), statuses },
      }),
      caller,
    );
    return row ?? { count: 0, isMore: false };
  };
  if (dryRun) return count();

  requireEnabled(status);
  await requireNoReplay(caller, webhookId);
  const counted = await count();
  if (counted.count === 0 && !counted.isMore) return counted;
  // Not before the count, which can take seconds: recording attempts waits for this lock.
  await lockRow(caller, "webhooks", webhookId);
  const locked = await getWebhook(caller, webhookId);
  requireEnabled(locked.status);
  await requireNoReplay(caller, webhookId);
  await addBacklogTask(
    caller,
    webhookId,
    "REPLAY",
    { afterId, beforeId },
    { eventTypes: typesOf(locked.events), deliveryStatuses: statuses },
  );
  await recordAudit(caller, {
    action: "webhook.events_replayed",
    targetId: webhookId,
    changes: {
      after: {
        since: since.toISOString(),
        until: (until ?? at).toISOString(),
        eventTypes: eventTypes ?? null,
        statuses,
        ...counted,
      },
    },
  });
  return counted;
}

async function requireNoReplay({ db, partition }: Caller, webhookId: string): Promise<void> {
  const running = await db.backlogTask.count({
    where: { ...partition, webhookId, action: "REPLAY" },
  });
  if (running === 0) return;
  throw limitReached(
    "A replay of this webhook is in progress, and there can be only one at a time. Try again in a moment.",
    { limit: 1, current: running },
  );
}

/** How many deliveries are held: until the webhook is enabled, or until a user resumes them. */
export async function countHeld(caller: Caller, webhookId: string): Promise<number> {
  return caller.db.delivery.count({ where: { ...caller.partition, webhookId, status: "HELD" } });
}

/**
 * Sends held deliveries. A job spreads them over time.
 * @returns how many
 * @throws AppError `invalid-transition` if the webhook is disabled
 */
export async function resumeHeld(caller: Caller, webhookId: string) {
  requireRole(caller, "ADMIN", "resume held deliveries");
  requireEnabled((await getWebhook(caller, webhookId)).status);
  return changeHeld(caller, webhookId, "RESUME");
}

/**
 * Discards held deliveries, in a job. Each can still be resent.
 * @returns how many
 */
export async function discardHeld(caller: Caller, webhookId: string) {
  requireRole(caller, "ADMIN", "discard held deliveries");
  await getWebhook(caller, webhookId);
  return changeHeld(caller, webhookId, "DISCARD");
}

/** Enables a webhook, and decides what happens to held deliveries; with `KEEP`, they stay held. */
export async function enableWebhook(
  caller: Caller,
  webhookId: string,
  { held }: { held: BacklogChoice },
): Promise<Webhook> {
  requireRole(caller, "ADMIN", "enable webhooks");
  // Before the update locks the webhook, because counting can take seconds.
  const counted = held === "KEEP" ? 0 : await countHeld(caller, webhookId);
  const webhook = await updateWebhook(caller, webhookId, { status: "ENABLED" });
  if (held !== "KEEP") await changeHeld(caller, webhookId, held, counted);
  return webhook;
}

/** @param counted how many were held a moment ago. If none were, they are counted again. */
async function changeHeld(
  caller: Caller,
  webhookId: string,
  action: "RESUME" | "DISCARD",
  counted = 0,
) {
  const count = counted || (await countHeld(caller, webhookId));
  if (count === 0) return { count };
  await addBacklogTask(caller, webhookId, action);
  const auditAction =
    action === "RESUME" ? "webhook.deliveries_resumed" : "webhook.deliveries_discarded";
  await recordAudit(caller, {
    action: auditAction,
    targetId: webhookId,
    changes: { after: { count } },
  });
  return { count };
}

function requireEnabled(status: Webhook["status"]): void {
  if (status === "ENABLED") return;
  throw notInThisStatus(
    "The webhook is disabled, so its deliveries are held. Enable the webhook first.",
    { from: "HELD", to: "PENDING" },
  );
}

const requestedNow = (requestedTrigger: AttemptTrigger, requestedAt: Date) => ({
  requestedTrigger,
  requestedAt,
});

async function requireRoomForRequest(caller: Caller, webhookId: string): Promise<void> {
  const waiting = await caller.db.delivery.count({
    where: { ...caller.partition, webhookId, requestedAt: { not: null } },
  });
  if (waiting < maximumRequestedAttempts) return;
  const detail = `${maximumRequestedAttempts} tests and resends of this webhook wait to be sent. Try again in a moment.`;
  throw limitReached(detail, { limit: maximumRequestedAttempts, current: waiting });
}

async function requireDelivery(
  { db, partition }: Caller,
  webhookId: string,
  id: string,
): Promise<DeliveryModel> {
  const where = { tenantId_environment_id: { ...partition, id }, webhook: { deletedAt: null } };
  const found = await db.delivery.findUnique({ where });
  if (found?.webhookId !== webhookId) throw notFound("delivery", id);
  return found;
}

function toDelivery(row: Omit<DeliveryModel, "firstResponse">): Delivery {
  return {
    id: row.id,
    webhookId: row.webhookId,
    eventId: row.eventId,
    eventType: row.eventType as Delivery["eventType"],
    status: row.status,
    attemptCount: row.attemptCount,
    nextAttemptAt: (row.requestedAt ?? row.nextAttemptAt)?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function toAttempt(row: StoredAttempt): DeliveryAttempt {
  return {
    number: row.number,
    trigger: row.trigger,
    startedAt: row.startedAt.toISOString(),
    durationMs: row.durationMs,
    statusCode: row.statusCode,
    errorCode: row.errorCode,
    response: row.response,
    responseHeaders: row.responseHeaders === null ? null : JSON.parse(row.responseHeaders),
    reply:
      row.replyMessageId || row.replyProblem
        ? { messageId: row.replyMessageId, problem: row.replyProblem as ReplyProblem | null }
        : null,
  };
}
