import { operation } from "@/lib/api/operation";
import { listRequestLogsQuery, requestLogPage } from "@/lib/request-logs/schema";
import { listRequestLogsForKey } from "@/lib/request-logs/service-for-keys";

export const GET = operation({
  operationId: "listRequestLogs",
  summary: "List requests to the API, newest first",
  description:
    "A request appears within about two seconds of its response, so one that took longer can appear behind newer ones. Successful reads of this list are left out, unless `path` selects them. A page can have fewer items than `limit`, or none, and a `nextCursor`: few of the requests that were searched match the filters.",
  scope: "read:usage",
  mayReadReplica: true,
  query: listRequestLogsQuery,
  response: requestLogPage,
  run: ({ caller, query }) => listRequestLogsForKey(caller, query),
});
