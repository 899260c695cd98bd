import type { ComponentProps } from "react";
import { CopyButton } from "@/components/ui/copy";
import { CopyableId } from "@/components/ui/copyable-id";
import { JsonText } from "@/components/ui/json";
import { Link } from "@/components/ui/link";
import { Facts, Panel } from "@/components/ui/panel";
import { ExactTime, Time } from "@/components/ui/time";
import { zoneName } from "@/components/ui/viewer-time";
import type { Event } from "@/lib/events/schema";
import { errorKinds, isErrorKind } from "@/lib/platform/errors";
import type { RequestLogWithBodies } from "@/lib/request-logs/schema";
import { ErrorExplanation } from "./error-explanation";

type RequestDetailsProps = {
  request: RequestLogWithBodies;
  /** Null if the key has been deleted. */
  apiKey: { name: string; hint: string } | null;
  events: Pick<Event, "id" | "type">[];
  /** Of its error; null if it has none. */
  explanation: ComponentProps<typeof ErrorExplanation>["explanation"] | null;
  /** The request as a command. */
  curl: string;
  base: string;
  now: Date;
};

/** A request with its error, its events and its bodies. */
export function RequestDetails({
  request,
  apiKey,
  events,
  explanation,
  curl,
  base,
  now,
}: RequestDetailsProps) {
  const at = new Date(request.createdAt);
  return (
    <div className="space-y-4">
      {isErrorKind(request.errorKind) && explanation ? (
        <ErrorExplanation
          kind={request.errorKind}
          title={errorKinds[request.errorKind].title}
          explanation={explanation}
          body={request.responseBody}
        />
      ) : null}
      <Panel
        title="Request"
        aside={
          <CopyButton text={curl} label="Copy as curl" variant="secondary">
            Copy as curl
          </CopyButton>
        }
      >
        <Facts
          facts={[
            {
              name: "Time",
              value: (
                <>
                  <ExactTime at={at} /> {zoneName(at)} (<Time at={at} now={now} />)
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
                  {apiKey ? `${apiKey.name} (${apiKey.hint})` : request.apiKeyId}
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
            <JsonText text={request.requestBody} label="the request body" base={base} />
          </Panel>
        ) : null}
        <Panel title="Response body">
          {request.responseBody ? (
            <JsonText text={request.responseBody} label="the response body" base={base} />
          ) : (
            <p className="text-muted">Response bodies of successful reads are not stored.</p>
          )}
        </Panel>
      </div>
      <p className="text-muted text-xs">
        Bodies are stored for 30 days, up to 16 KB each. Secrets are masked before they are stored.
      </p>
    </div>
  );
}
