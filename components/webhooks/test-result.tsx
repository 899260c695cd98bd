import { describeAttemptError, explainStatusCode } from "@/components/deliveries/labels";
import { ResponseBadge } from "@/components/deliveries/response-badge";
import { Link } from "@/components/ui/link";
import type { DeliveryAttempt, DeliveryWithAttempts } from "@/lib/deliveries/schema";

/**
 * The result of a test event: in progress, then how it ended. Screen readers announce changes.
 */
export function TestResult({
  delivery,
  isDelayed,
  href,
}: {
  delivery: DeliveryWithAttempts;
  /** Whether the worker does not keep up, or does not run. */
  isDelayed: boolean;
  href: string;
}) {
  const attempt = delivery.attempts.at(-1);
  const colors = !attempt
    ? "border-line"
    : delivery.status === "DELIVERED"
      ? "border-good/40"
      : "border-danger/40";
  return (
    <div
      className={`mb-6 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl border bg-surface px-5 py-3.5 ${colors}`}
    >
      <div role="status" className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">
          {!attempt
            ? "Sending test event…"
            : delivery.status === "DELIVERED"
              ? "Test event delivered"
              : "Test event failed"}
        </span>
        {isDelayed ? (
          <span className="text-warn">
            Deliveries are delayed. The test event is sent as soon as the worker catches up.
          </span>
        ) : null}
        {attempt ? <Outcome attempt={attempt} /> : null}
      </div>
      <Link href={href} scroll={false} className="text-accent hover:underline">
        Request and response
      </Link>
    </div>
  );
}

function Outcome({ attempt: { statusCode, errorCode, durationMs } }: { attempt: DeliveryAttempt }) {
  const sentence =
    statusCode === null
      ? describeAttemptError(errorCode ?? "").sentence
      : explainStatusCode(statusCode);
  return (
    <>
      <ResponseBadge statusCode={statusCode} errorCode={errorCode} />
      <span className="text-muted tabular-nums">{durationMs.toLocaleString("en")} ms</span>
      {sentence ? <span className="w-full text-muted">{sentence}</span> : null}
    </>
  );
}
