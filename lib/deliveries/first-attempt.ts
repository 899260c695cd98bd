import type { DeliveryAttemptModel, DeliveryModel } from "@/prisma/generated/models";

export type StoredAttempt = Omit<DeliveryAttemptModel, "tenantId" | "environment" | "deliveryId">;

/**
 * The first attempt of a delivery, if it is stored in the delivery itself: it was automatic,
 * succeeded and had no reply. All other attempts have rows of their own.
 */
export function firstAttemptOf(delivery: DeliveryModel): StoredAttempt | null {
  const { firstStartedAt, firstDurationMs, firstStatusCode, firstResponse } = delivery;
  if (!firstStartedAt) return null;
  return {
    ...{ number: 1, trigger: "AUTOMATIC", startedAt: firstStartedAt },
    ...{ durationMs: firstDurationMs ?? 0, statusCode: firstStatusCode },
    ...{ errorCode: null, response: firstResponse, responseHeaders: null },
    ...{ replyMessageId: null, replyProblem: null },
  };
}
