import { currentSpan, type Tracer } from "@/lib/platform/tracing";
import type { Outgoing, Target } from "./pipeline";
import type { ApiRequest } from "./read-request";

/**
 * Runs a request in a span, which continues the client's trace if there is one. Names come from the
 * operation and never from the path, so that their number is bounded.
 */
export async function traceRequest(
  tracing: Tracer,
  { method, headers }: ApiRequest,
  target: Target,
  respond: () => Promise<Outgoing>,
): Promise<Outgoing> {
  const operation =
    target !== "nothing" && "declaration" in target ? target.declaration.operationId : "none";
  const span = tracing.start(operation, {
    kind: "server",
    parent: headers.get("traceparent"),
    attributes: { "http.request.method": method },
  });
  let failure: string | undefined = "the request failed";
  try {
    const response = await tracing.within(span, respond);
    span.add({
      "http.response.status_code": response.status,
      "parlance.request_id": response.headers["X-Request-Id"] ?? "",
    });
    failure = response.status >= 500 ? `status ${response.status}` : undefined;
    return response;
  } finally {
    span.end(failure);
  }
}

export function traceTenant({ tenantId, environment }: { tenantId: string; environment: string }) {
  currentSpan()?.add({ "parlance.tenant_id": tenantId, "parlance.environment": environment });
}
