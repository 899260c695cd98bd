import type { PageContext } from "@/app/(dashboard)/dashboard-page";
import { MethodBadge } from "@/components/docs/method-badge";
import { curlOfRequest } from "@/components/request-logs/curl-of-request";
import { RequestDetails } from "@/components/request-logs/request-details";
import { StatusBadge } from "@/components/request-logs/status-badge";
import { Badge } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { Drawer } from "@/components/ui/drawer";
import { Link } from "@/components/ui/link";
import { problemExplanations } from "@/lib/api/problem-explanations";
import { apiKeyNames } from "@/lib/api-keys/service";
import { listEventsOfRequest } from "@/lib/events/service";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { isErrorKind } from "@/lib/platform/errors";
import type { ListRequestLogs, RequestLogWithBodies } from "@/lib/request-logs/schema";
import { getRequestLog, listRequestLogs } from "@/lib/request-logs/service";

/** What the page and the drawer show of a request. */
export async function loadRequestDetails(caller: Caller, request: RequestLogWithBodies) {
  const [keys, events] = await Promise.all([
    apiKeyNames(caller, [request.apiKeyId]),
    listEventsOfRequest(caller, request),
  ]);
  const { APP_URL, SERVICE_PREFIX } = env();
  const key = `${SERVICE_PREFIX}_${caller.partition.environment}_…`;
  return {
    request,
    apiKey: keys.get(request.apiKeyId) ?? null,
    events,
    explanation: isErrorKind(request.errorKind) ? problemExplanations[request.errorKind] : null,
    curl: curlOfRequest(request, { origin: APP_URL, key }),
  };
}

type Opened = {
  id: string;
  /** The list that contains it, for links to its neighbors. */
  selected: ListRequestLogs;
  hrefOf: (id: string | null) => string;
};

/** One request, in a drawer over the list. */
export async function renderRequestDrawer(
  { caller, base, now }: PageContext,
  { id, selected, hrefOf }: Opened,
) {
  const neighbor = async (order: "asc" | "desc") => {
    const { data } = await listRequestLogs(caller, { ...selected, cursor: id, limit: 1, order });
    return data[0] ? hrefOf(data[0].id) : null;
  };
  const [request, newer, older] = await Promise.all([
    getRequestLog(caller, id),
    neighbor("asc"),
    neighbor("desc"),
  ]);
  return (
    <Drawer
      title={request.path}
      description={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <MethodBadge method={request.method} />
          <StatusBadge status={request.status} />
          {request.isReplay ? <Badge>Replayed</Badge> : null}
          <CopyableId id={request.id} />
          <Link href={`${base}/logs/${request.id}`} className="text-accent hover:underline">
            Open as a page
          </Link>
        </div>
      }
      closeHref={hrefOf(null)}
      neighbors={{
        previous: { name: "Newer request (left arrow)", href: newer },
        next: { name: "Older request (right arrow)", href: older },
      }}
    >
      <RequestDetails {...(await loadRequestDetails(caller, request))} base={base} now={now} />
    </Drawer>
  );
}
