import Link from "next/link";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { MethodBadge } from "@/components/docs/method-badge";
import { ErrorExplanation } from "@/components/request-logs/error-explanation";
import { StatusBadge } from "@/components/request-logs/status-badge";
import { Badge } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { JsonText } from "@/components/ui/json";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { ExactTime, Time } from "@/components/ui/time";
import { problemExplanations } from "@/lib/api/problem-explanations";
import { apiKeyNames } from "@/lib/api-keys/service";
import { listEventsOfRequest } from "@/lib/events/service";
import { errorKinds, isErrorKind } from "@/lib/platform/errors";
import { getRequestLog } from "@/lib/request-logs/service";

export const metadata = { title: "Request" };

export default dashboardPage<"requestId">(async ({ caller, base, params, now }) => {
  const request = await getRequestLog(caller, params.requestId);
  const [keys, events] = await Promise.all([
    apiKeyNames(caller, [request.apiKeyId]),
    listEventsOfRequest(caller, request),
  ]);
  const key = keys.get(request.apiKeyId);
  const at = new Date(request.createdAt);
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
      <div className="space-y-4">
        {isErrorKind(request.errorKind) ? (
          <ErrorExplanation
            kind={request.errorKind}
            title={errorKinds[request.errorKind].title}
            explanation={problemExplanations[request.errorKind]}
            body={request.responseBody}
          />
        ) : null}
        <Panel title="Request">
          <Facts
            facts={[
              {
                name: "Time",
                value: (
                  <>
                    <ExactTime at={at} /> UTC (<Time at={at} now={now} />)
                  </>
                ),
              },
              { name: "Duration", value: `${request.durationMs.toLocaleString("en")} ms` },
              {
                name: "Key",
                value: (
                  <Link
                    href={`${base}/api-keys/${request.apiKeyId}`}
                    className="text-accent hover:underline"
                  >
                    {key ? `${key.name} (${key.hint})` : request.apiKeyId}
                  </Link>
                ),
              },
              {
                name: "Idempotency key",
                value: request.idempotencyKey && (
                  <span className="flex flex-wrap items-center gap-x-3">
                    <CopyableId id={request.idempotencyKey} />
                    <Link
                      href={`${base}/logs?range=30d&idempotencyKey=${encodeURIComponent(request.idempotencyKey)}`}
                      className="text-accent hover:underline"
                    >
                      All requests with it
                    </Link>
                  </span>
                ),
              },
              {
                name: "IP address",
                value: request.address && (
                  <code className="font-mono text-xs">{request.address}</code>
                ),
              },
              {
                name: "User agent",
                value: request.userAgent && (
                  <code className="font-mono text-xs">{request.userAgent}</code>
                ),
              },
            ]}
          />
        </Panel>
        {events.length > 0 ? (
          <Panel title={events.length === 1 ? "Event" : "Events"}>
            <ul className="space-y-1.5">
              {events.map(({ id, type }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-3">
                  <Link href={`${base}/events/${id}`} className="text-accent hover:underline">
                    {type}
                  </Link>
                  <CopyableId id={id} />
                </li>
              ))}
            </ul>
          </Panel>
        ) : null}
        <div className={`grid gap-4 ${request.requestBody ? "lg:grid-cols-2" : ""}`}>
          {request.requestBody ? (
            <Panel title="Request body">
              <JsonText text={request.requestBody} label="the request body" />
            </Panel>
          ) : null}
          <Panel title="Response body">
            {request.responseBody ? (
              <JsonText text={request.responseBody} label="the response body" />
            ) : (
              <p className="text-muted">Response bodies of successful reads are not stored.</p>
            )}
          </Panel>
        </div>
        <p className="text-muted text-xs">
          Bodies are stored for 30 days, up to 16 KB each. Secrets are masked before they are
          stored.
        </p>
      </div>
    </>
  );
});
