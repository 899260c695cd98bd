import { operation } from "@/lib/api/operation";
import { requestLogParams, requestLogWithBodies } from "@/lib/request-logs/schema";
import { getRequestLogForKey } from "@/lib/request-logs/service-for-keys";

export const GET = operation({
  operationId: "getRequestLog",
  summary: "Get a request to the API, with its bodies",
  scope: "read:usage",
  params: requestLogParams,
  response: requestLogWithBodies,
  run: ({ caller, params }) => getRequestLogForKey(caller, params.requestId),
});
