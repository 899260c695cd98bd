import { system, wake } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { pool, rowsOf } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import {
  maximumResponseBytes,
  type OutboundResult,
} from "@/lib/platform/outbound-http/outbound-request";
import { now as timeNow } from "@/lib/platform/time";
import type { AttemptTrigger, DeliveryStatus } from "@/prisma/generated/enums";
import type { ClaimedDelivery } from "./claim";
import { countAttempts } from "./count-attempts";
import { recordAttemptsStatement, recordReplyStatement } from "./record.sql";
import { parseReply, type Reply, repliedEvent, replyValues } from "./reply";
import { probeIntervalSeconds, retryDelaySeconds } from "./retry-schedule";

const log = logOf("deliveries");

export type EndedAttempt = {
  delivery: ClaimedDelivery;
  result: OutboundResult;
  startedAt: Date;
  /**
   * A failed MANUAL attempt leaves the delivery as it was. A failed TEST attempt ends it. Neither
   * counts as a failure of the webhook.
   */
  trigger: AttemptTrigger;
  /** The reply in a successful response, if the webhook accepts replies to the event. */
  reply?: Reply | null;
};

export type RecordedAttempt = {
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  /** The webhook's consecutive failures after this batch. */
  consecutiveFailures: number;
};

type RecordedRow = {
  place: number;
  status: DeliveryStatus;
  next_attempt_at: Date | null;
  consecutive_failures: number;
};

export function isSuccess(result: OutboundResult): boolean {
  return "statusCode" in result && result.statusCode >= 200 && result.statusCode < 300;
}

const statusGone = 410;

/** Whether the receiver returned 410 Gone, which disables its webhook. A test disables none. */
export const isGone = ({ result, trigger }: EndedAttempt): boolean =>
  trigger !== "TEST" && "statusCode" in result && result.statusCode === statusGone;

export function endedAttempt(
  delivery: ClaimedDelivery,
  result: OutboundResult,
  startedAt: Date,
): EndedAttempt {
  const mayReply = delivery.acceptsReplies && delivery.eventType === repliedEvent;
  const reply =
    mayReply && isSuccess(result) && "response" in result
      ? parseReply(result.response, result.isBroken)
      : null;
  return { delivery, result, startedAt, trigger: delivery.trigger, reply };
}

/** Whether recording it posts a message, which takes a statement of its own. */
export const postsReply = ({ reply }: EndedAttempt): boolean => Boolean(reply && "text" in reply);

/**
 * Writes the results of these attempts in one statement, and one for each that posts a reply.
 * @param attempts in the order in which they ended
 * @param lockWaitMs how long each statement waits for a row that is locked
 * @param on where the statements run
 * @returns the result for each of them, or null if another worker took over its lease
 */
export async function recordAttempts(
  attempts: EndedAttempt[],
  now: Date | null = null,
  lockWaitMs = databaseWaits.lock,
  on = pool(),
): Promise<(RecordedAttempt | null)[]> {
  const recorded = new Map<EndedAttempt, RecordedAttempt>();
  const others = attempts.filter((attempt) => !postsReply(attempt));
  if (others.length > 0) {
    const rows = await rowsOf<RecordedRow>(
      on,
      recordAttemptsStatement(valuesOf(others, now, lockWaitMs)),
    );
    for (const row of rows) {
      const attempt = others[row.place - 1];
      if (attempt) recorded.set(attempt, toRecorded(row));
    }
  }
  for (const attempt of attempts.filter(postsReply)) {
    const row = await recordReply(attempt, now, lockWaitMs, on);
    if (row) recorded.set(attempt, toRecorded(row));
  }
  const results = attempts.map((attempt) => recorded.get(attempt) ?? null);
  const counting = meter();
  if (counting) countAttempts(counting, attempts, results);
  if (log.isLevelEnabled("debug"))
    for (const [index, attempt] of attempts.entries()) logAttempt(attempt, results[index]);
  return results;
}

function logAttempt({ delivery, result }: EndedAttempt, recorded?: RecordedAttempt | null): void {
  log.debug(
    {
      delivery: delivery.id,
      webhook: delivery.webhookId,
      event: delivery.eventId,
      attempt: delivery.attemptNumber,
      durationMs: result.durationMs,
      ...("statusCode" in result ? { status: result.statusCode } : { error: result.errorCode }),
      outcome: recorded?.status ?? "taken over by another worker",
      ...(delivery.traceparent && { traceparent: delivery.traceparent }),
    },
    "an attempt was recorded",
  );
}

async function recordReply(
  attempt: EndedAttempt,
  now: Date | null,
  lockWaitMs: number,
  on: ReturnType<typeof pool>,
): Promise<RecordedRow | undefined> {
  const { delivery, reply } = attempt;
  const { tenantId, environment } = delivery;
  const text = reply && "text" in reply ? reply.text : "";
  const [row] = await rowsOf<RecordedRow & { deliveries: string[] }>(
    on,
    recordReplyStatement({
      ...valuesOf([attempt], now, lockWaitMs),
      ...replyValues(delivery, text, now ?? timeNow()),
    }),
  );
  if (row) wake(system({ tenantId, environment }), row.deliveries);
  return row;
}

const toRecorded = (row: RecordedRow): RecordedAttempt => ({
  status: row.status,
  nextAttemptAt: row.next_attempt_at,
  consecutiveFailures: row.consecutive_failures,
});

function valuesOf(attempts: EndedAttempt[], now: Date | null, lockWaitMs: number) {
  const column = <Value>(pick: (attempt: EndedAttempt) => Value) => attempts.map(pick);
  const responses = column(({ result }) => ("statusCode" in result ? result : null));
  const steps = column(nextStep);
  return {
    now,
    lockTimeout: `${lockWaitMs}ms`,
    probeSeconds: probeIntervalSeconds(),
    tenantIds: column(({ delivery }) => delivery.tenantId),
    environments: column(({ delivery }) => delivery.environment),
    ids: column(({ delivery }) => delivery.id),
    webhookIds: column(({ delivery }) => delivery.webhookId),
    deliveredEventIds: column(({ delivery }) => delivery.eventId),
    leaseHolders: column(({ delivery }) => delivery.leaseHolder),
    numbers: column(({ delivery }) => delivery.attemptNumber),
    triggers: column(({ trigger }) => trigger),
    startedAt: column(({ startedAt }) => startedAt),
    durationsMs: column(({ result }) => result.durationMs),
    statusCodes: responses.map((response) => response?.statusCode),
    errorCodes: column(({ result }) => ("errorCode" in result ? result.errorCode : null)),
    responses: responses.map((response) => response && firstBytes(response.response)),
    responseHeaders: responses.map(
      (response) => response?.responseHeaders && JSON.stringify(response.responseHeaders),
    ),
    successes: column(({ result }) => isSuccess(result)),
    probes: column(({ delivery }) => delivery.isProbe),
    goneUrls: column((attempt) => (isGone(attempt) ? attempt.delivery.url : null)),
    newStatuses: steps.map(({ newStatus }) => newStatus),
    delays: steps.map(({ delaySeconds }) => delaySeconds),
    replyProblems: column(({ reply }) => (reply && "problem" in reply ? reply.problem : null)),
  };
}

/** More of a response is read than is stored if its webhook accepts replies. */
function firstBytes(response: string): string {
  if (response.length <= maximumResponseBytes / 4) return response;
  const bytes = Buffer.from(response);
  return bytes.length <= maximumResponseBytes
    ? response
    : bytes.subarray(0, maximumResponseBytes).toString("utf8");
}

type Step = { newStatus?: DeliveryStatus; delaySeconds?: number };

function nextStep({ delivery, result, trigger }: EndedAttempt): Step {
  if (isSuccess(result)) return { newStatus: "DELIVERED" };
  if (trigger === "MANUAL") return {};
  if (trigger === "TEST") return { newStatus: "FAILED" };
  const retryAfterSeconds = "statusCode" in result ? result.retryAfterSeconds : undefined;
  const delaySeconds = retryDelaySeconds(delivery.automaticCount + 1, retryAfterSeconds);
  if (delaySeconds !== null) return { newStatus: "PENDING", delaySeconds };
  return { newStatus: delivery.holdsExhausted ? "HELD" : "FAILED" };
}
