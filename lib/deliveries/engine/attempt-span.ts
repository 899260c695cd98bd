import type { OutboundResult } from "@/lib/platform/outbound-http/outbound-request";
import { type Span, tracer } from "@/lib/platform/tracing";
import type { ClaimedDelivery } from "./claim";
import { isSuccess } from "./record";

/** Continues the trace of the request that caused the event. Undefined unless traces are on. */
export function startAttemptSpan(delivery: ClaimedDelivery): Span | undefined {
  return tracer()?.start(`deliver ${delivery.eventType}`, {
    kind: "client",
    parent: delivery.traceparent,
    attributes: {
      "parlance.tenant_id": delivery.tenantId,
      "parlance.environment": delivery.environment,
      "parlance.webhook_id": delivery.webhookId,
      "parlance.event_id": delivery.eventId,
      "parlance.delivery_id": delivery.id,
      "parlance.attempt": delivery.attemptNumber,
    },
  });
}

export function endAttemptSpan(span: Span, result: OutboundResult): void {
  if ("statusCode" in result) span.add({ "http.response.status_code": result.statusCode });
  else span.add({ "error.type": result.errorCode });
  if (isSuccess(result)) span.end();
  else span.end("statusCode" in result ? `status ${result.statusCode}` : result.errorCode);
}
