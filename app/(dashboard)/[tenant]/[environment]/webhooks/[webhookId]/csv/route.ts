import { csvRoute } from "@/app/(dashboard)/csv-response";
import { parse } from "@/app/(dashboard)/run-action";
import { searchDeliveriesQuery } from "@/lib/deliveries/schema";
import { type FoundDelivery, searchDeliveries } from "@/lib/deliveries/search";
import { getWebhook } from "@/lib/webhooks/service";

export const GET = csvRoute<FoundDelivery, "webhookId">(async (caller, query, { webhookId }) => {
  const { delivery: _open, test: _shown, ...filters } = query;
  const search = parse(searchDeliveriesQuery, filters, "query");
  const { id } = await getWebhook(caller, webhookId);
  return {
    name: "deliveries",
    audit: { action: "deliveries.exported", targetId: id },
    columns: {
      id: (delivery) => delivery.id,
      event_id: ({ eventId }) => eventId,
      event_type: ({ eventType }) => eventType,
      status: ({ status }) => status,
      attempts: ({ attemptCount }) => attemptCount,
      last_status_code: ({ statusCode }) => statusCode,
      last_error: ({ errorCode }) => errorCode,
      next_attempt_at: ({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null,
      created_at: ({ createdAt }) => createdAt.toISOString(),
    },
    list: (page) => searchDeliveries(caller, id, { ...search, ...page }),
  };
});
