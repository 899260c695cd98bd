import { type HeaderList, outboundHeaders } from "@/lib/platform/outbound-http/outbound-request";

type Delivered = { id: string; eventId: string; attemptNumber: number };

/**
 * The headers of one attempt, in the order in which they are sent.
 * @param eventType that of the payload
 * @param signature the value of `X-Service-Signature`
 * @param standardWebhooks the three headers of the Standard Webhooks specification
 * @param customHeaders the webhook's own, which have other names (lib/webhooks/headers-schema.ts)
 * @param traceparent the trace that the receiver may continue. It is not signed.
 */
export function deliveryHeaders(
  { id, eventId, attemptNumber }: Delivered,
  {
    eventType,
    signature,
    standardWebhooks,
    customHeaders,
    traceparent,
  }: {
    eventType: string;
    signature: string;
    standardWebhooks: Record<string, string>;
    customHeaders: HeaderList;
    traceparent?: string | undefined;
  },
): string[] {
  const headers = [...customHeaders];
  headers.push("content-type", "application/json");
  headers.push("x-service-signature", signature);
  headers.push("x-service-event-id", eventId);
  headers.push("x-service-event-type", eventType);
  headers.push("x-service-delivery-id", id);
  headers.push("x-service-attempt", String(attemptNumber));
  for (const name in standardWebhooks) headers.push(name, standardWebhooks[name] ?? "");
  if (traceparent) headers.push("traceparent", traceparent);
  return headers;
}

/** In place of the value of a custom header, which is never shown. */
export const hiddenValue = "…";

/**
 * The headers of an earlier attempt, for display. The signed time is known, but signatures are not
 * stored. The webhook's own headers are those that it has now.
 */
export function shownHeaders(
  { eventType, ...delivered }: Delivered & { eventType: string },
  startedAt: Date,
  headerNames: readonly string[] = [],
): Record<string, string> {
  const seconds = String(Math.floor(startedAt.getTime() / 1000));
  const standardWebhooks = {
    "webhook-id": delivered.eventId,
    "webhook-timestamp": seconds,
    "webhook-signature": "v1,…",
  };
  const headers = [
    ...outboundHeaders,
    ...deliveryHeaders(delivered, {
      eventType,
      signature: `t=${seconds},v1=…`,
      standardWebhooks,
      customHeaders: headerNames.flatMap((name) => [name, hiddenValue]),
    }),
  ];
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])),
  );
}
