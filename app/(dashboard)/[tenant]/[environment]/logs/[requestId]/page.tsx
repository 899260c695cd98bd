import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { MethodBadge } from "@/components/docs/method-badge";
import { RequestDetails } from "@/components/request-logs/request-details";
import { StatusBadge } from "@/components/request-logs/status-badge";
import { Badge } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { PageHeader } from "@/components/ui/page-header";
import { getRequestLog } from "@/lib/request-logs/service";
import { loadRequestDetails } from "../request-drawer";

const load = cache(getRequestLog);

export const generateMetadata = objectTitle<"requestId">("Logs", async (caller, { requestId }) => {
  const { method, path } = await load(caller, requestId);
  return `${method} ${path}`;
});

export default dashboardPage<"requestId">(async ({ caller, base, params, now }) => {
  const request = await load(caller, params.requestId);
  const details = await loadRequestDetails(caller, request);
  return (
    <>
      <PageHeader
        trail={[{ name: "Logs", href: `${base}/logs` }]}
        title={request.path}
        aside={
          <>
            <MethodBadge method={request.method} />
            <StatusBadge status={request.status} />
            {request.isReplay ? <Badge>Replayed</Badge> : null}
          </>
        }
        description={<CopyableId id={request.id} />}
      />
      <RequestDetails {...details} base={base} now={now} />
    </>
  );
});
