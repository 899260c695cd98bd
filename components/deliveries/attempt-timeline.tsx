import type { ReactNode } from "react";
import { Badge } from "@/components/ui/badge";
import { JsonText } from "@/components/ui/json";
import { ExactTime } from "@/components/ui/time";
import { zoneName } from "@/components/ui/viewer-time";
import type { DeliveryAttempt } from "@/lib/deliveries/schema";
import { describeAttemptError, describeReply, explainStatusCode, triggerLabels } from "./labels";
import { ResponseBadge } from "./response-badge";

type Attempt = DeliveryAttempt & { requestHeaders: Record<string, string> };

type AttemptTimelineProps = {
  /** The newest first. */
  attempts: Attempt[];
  /** The next attempt, if there is one. */
  upcoming: ReactNode;
};

const isSuccess = ({ statusCode }: Attempt) =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;

/** Every attempt of a delivery, from the upcoming one down to the first. */
export function AttemptTimeline({ attempts, upcoming }: AttemptTimelineProps) {
  return (
    <ol className="space-y-0">
      {upcoming ? (
        <Entry dot="border-2 border-accent bg-surface">
          <div className="pb-5">{upcoming}</div>
        </Entry>
      ) : null}
      {attempts.map((attempt) => (
        <Entry key={attempt.number} dot={isSuccess(attempt) ? "bg-good" : "bg-danger"}>
          <AttemptDetails attempt={attempt} isNewest={attempt === attempts[0]} />
        </Entry>
      ))}
    </ol>
  );
}

function Entry({ dot, children }: { dot: string; children: ReactNode }) {
  return (
    <li className="group relative pl-6">
      <span
        className="absolute top-2 bottom-0 left-[0.3125rem] w-px bg-line group-last:hidden"
        aria-hidden="true"
      />
      <span
        className={`absolute top-1.5 left-0 size-[0.6875rem] rounded-full ${dot}`}
        aria-hidden="true"
      />
      {children}
    </li>
  );
}

function AttemptDetails({ attempt, isNewest }: { attempt: Attempt; isNewest: boolean }) {
  const {
    number,
    trigger,
    startedAt,
    durationMs,
    statusCode,
    errorCode,
    response,
    responseHeaders,
    reply,
    requestHeaders,
  } = attempt;
  const sentence =
    statusCode === null
      ? describeAttemptError(errorCode ?? "").sentence
      : explainStatusCode(statusCode);
  const cause = triggerLabels[trigger];
  return (
    <div className="space-y-2 pb-6">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h4 className="font-medium">Attempt {number}</h4>
        <ResponseBadge statusCode={statusCode} errorCode={errorCode} />
        {cause ? <Badge>{cause}</Badge> : null}
        <span className="text-muted tabular-nums">{durationMs.toLocaleString("en")} ms</span>
        <span className="ml-auto text-muted">
          <ExactTime at={new Date(startedAt)} /> {zoneName(new Date(startedAt))}
        </span>
      </div>
      {sentence ? <p className="text-muted">{sentence}</p> : null}
      {reply ? <p>{describeReply(reply)}</p> : null}
      {statusCode === null ? null : (
        <details open={isNewest} className="group/details">
          <summary className="w-fit text-muted hover:text-ink">Response body</summary>
          <div className="mt-2">
            {response ? (
              <JsonText text={response} label={`response of attempt ${number}`} />
            ) : (
              <p className="text-muted">The response had no body.</p>
            )}
          </div>
        </details>
      )}
      {responseHeaders ? (
        <Headers
          title="Response headers"
          headers={responseHeaders}
          note="At most 20, without cookies and other credentials. Those of successful responses are not stored."
        />
      ) : null}
      <Headers title="Request headers" headers={requestHeaders} note="Signatures are not stored." />
    </div>
  );
}

type HeadersProps = { title: string; headers: Record<string, string>; note: string };

function Headers({ title, headers, note }: HeadersProps) {
  return (
    <details>
      <summary className="w-fit text-muted hover:text-ink">{title}</summary>
      <dl className="mt-2 space-y-1 rounded-lg border border-line bg-sunken p-3 font-mono text-xs">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name} className="break-all">
            <dt className="inline text-muted">{name}: </dt>
            <dd className="inline" dir="auto">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-1.5 text-muted text-xs">{note}</p>
    </details>
  );
}
