import { csvRoute } from "@/app/(dashboard)/csv-response";
import type { RequestLog } from "@/lib/request-logs/schema";
import { listRequestLogs } from "@/lib/request-logs/service";
import { searchOf } from "../search-of";

export const GET = csvRoute<RequestLog>((caller, query) => {
  const search = searchOf(query, new Date());
  return {
    name: "logs",
    audit: { action: "request_logs.exported" },
    columns: {
      id: ({ id }) => id,
      time: ({ createdAt }) => createdAt,
      method: ({ method }) => method,
      path: ({ path }) => path,
      status: ({ status }) => status,
      duration_ms: ({ durationMs }) => durationMs,
      error: ({ errorKind }) => errorKind,
      replayed: ({ isReplay }) => (isReplay ? "yes" : "no"),
      idempotency_key: ({ idempotencyKey }) => idempotencyKey,
      key_id: ({ apiKeyId }) => apiKeyId,
      address: ({ address }) => address,
      user_agent: ({ userAgent }) => userAgent,
    },
    list: (page) => listRequestLogs(caller, { ...search, ...page }),
  };
});
