import { runStatement } from "@/lib/platform/db";
import type { OutboundResult } from "@/lib/platform/outbound-http/outbound-request";
import type { AttemptTrigger, DeliveryStatus } from "@/prisma/generated/enums";
import type { ClaimedDelivery } from "./claim";
import { recordAttemptsStatement } from "./record.sql";
import { probeIntervalSeconds, retryDelaySeconds } from "./retry-schedule";

export type EndedAttempt = {
  delivery: ClaimedDelivery;
  result: OutboundResult;
  startedAt: Date;
  /**
   * A failed MANUAL or TEST attempt adds nothing to the webhook's count. The first leaves the
   * delivery as it was, the second ends it.
   */
  trigger: AttemptTrigger;
};

export type RecordedAttempt = {
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  /** The webhook's, after this batch. */
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

/**
 * Writes what came of these attempts, in one statement.
 * @param attempts in the order in which they ended
 * @returns for each of them what was recorded, or null where its lease had passed to another.
 */
export async function recordAttempts(
  attempts: EndedAttempt[],
  now: Date | null,
): Promise<(RecordedAttempt | null)[]> {
  const columns: unknown[][] = Array.from({ length: 17 }, () => []);
  for (const attempt of attempts) {
    for (const [index, value] of columnsOf(attempt).entries()) columns[index]?.push(value);
  }
  const rows = await runStatement<RecordedRow>(recordAttemptsStatement, [
    now,
    probeIntervalSeconds(),
    ...columns,
  ]);

  const recorded: (RecordedAttempt | null)[] = attempts.map(() => null);
  for (const { place, status, next_attempt_at, consecutive_failures } of rows) {
    recorded[place - 1] = {
      status,
      nextAttemptAt: next_attempt_at,
      consecutiveFailures: consecutive_failures,
    };
  }
  return recorded;
}

function columnsOf({ delivery, result, startedAt, trigger }: EndedAttempt): unknown[] {
  const { tenantId, environment, id, webhookId, eventId, leaseHolder, attemptNumber, isProbe } =
    delivery;
  const [newStatus, delaySeconds] = nextStep(delivery, result, trigger);
  const answer =
    "statusCode" in result
      ? [result.statusCode, null, result.response]
      : [null, result.errorCode, null];
  return [
    ...[tenantId, environment, id, webhookId, eventId, leaseHolder, attemptNumber, trigger],
    ...[
      startedAt,
      result.durationMs,
      ...answer,
      isSuccess(result),
      isProbe,
      newStatus,
      delaySeconds,
    ],
  ];
}

function nextStep(
  delivery: ClaimedDelivery,
  result: OutboundResult,
  trigger: AttemptTrigger,
): [DeliveryStatus | null, number | null] {
  if (isSuccess(result)) return ["DELIVERED", null];
  if (trigger === "MANUAL") return [null, null];
  if (trigger === "TEST") return ["FAILED", null];
  const retryAfterSeconds = "statusCode" in result ? result.retryAfterSeconds : undefined;
  const delaySeconds = retryDelaySeconds(delivery.automaticCount + 1, retryAfterSeconds);
  return delaySeconds === null ? ["FAILED", null] : ["PENDING", delaySeconds];
}
