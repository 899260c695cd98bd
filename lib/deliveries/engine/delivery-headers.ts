import { outboundHeaders } from "@/lib/platform/outbound-http/outbound-request";

type Delivered = { id: string; eventId: string; eventType: string; attemptNumber: number };

/**
 * The headers of one attempt, in the order in which they are sent.
 * @param signature the value of `X-Service-Signature`
 * @param standardWebhooks the three headers of the Standard Webhooks specification
 * @param customHeaders the webhook's own, which have other names (lib/webhooks/headers-schema.ts)
 * @param traceparent the trace that the receiver may continue. It is not signed.
 */
export function deliveryHeaders(
  { id, eventId, eventType, attemptNumber }: Delivered,
  {
    signature,
    standardWebhooks,
    customHeaders,
    traceparent,
  }: {
    signature: string;
    standardWebhooks: Record<string, string>;
    customHeaders: Record<string, string>;
    traceparent?: string | undefined;
  },
): Record<string, string> {
  return {
    ...customHeaders,
    "content-type": "application/json",
    "x-service-signature": signature,
    "x-service-event-id": eventId,
    "x-service-event-type": eventType,
    "x-service-delivery-id": id,
    "x-service-attempt": String(attemptNumber),
    ...standardWebhooks,
    ...(traceparent && { traceparent }),
  };
}

/** In place of the value of a custom header, which is never shown. */
export const hiddenValue = "…";

/**
 * The headers of an earlier attempt, for display. The signed time is known, but signatures are not
 * stored. The webhook's own headers are those that it has now.
 */
export function shownHeaders(
  delivered: Delivered,
  startedAt: Date,
  headerNames: readonly string[] = [],
): Record<string, string> {
  const seconds = String(Math.floor(startedAt.getTime() / 1000));
  const standardWebhooks = {
    "webhook-id": delivered.eventId,
    "webhook-timestamp": seconds,
    "webhook-signature": "v1,…",
  };
  const customHeaders = Object.fromEntries(headerNames.map((name) => [name, hiddenValue]));
  return {
    ...outboundHeaders,
    ...deliveryHeaders(delivered, {
      signature: `t=${seconds},v1=…`,
      standardWebhooks,
      customHeaders,
    }),
  };
}
