import type { ReactNode } from "react";
import { CopyButton } from "@/components/ui/copy";
import { Countdown } from "@/components/ui/countdown";
import { JsonText } from "@/components/ui/json";
import { hiddenValue } from "@/lib/deliveries/engine/delivery-headers";
import type { DeliveryWithAttempts } from "@/lib/deliveries/schema";
import { AttemptTimeline } from "./attempt-timeline";
import { signedCurlCommand, variableOf } from "./signed-curl-command";

type DeliveryDetailsProps = {
  delivery: DeliveryWithAttempts;
  /** As it is sent, byte for byte. */
  payload: string;
  url: string;
  headersOf: (attempt: { number: number; startedAt: string }) => Record<string, string>;
  /** The webhook fails repeatedly, so it gets one delivery at a time. */
  isWebhookFailing: boolean;
  base: string;
  now: Date;
  /** Actions for this delivery. */
  actions: ReactNode;
};

/** Everything about one delivery: its attempts, the responses, and the request. */
export function DeliveryDetails({
  delivery,
  payload,
  url,
  headersOf,
  isWebhookFailing,
  base,
  now,
  actions,
}: DeliveryDetailsProps) {
  const attempts = delivery.attempts
    .map((attempt) => ({ ...attempt, requestHeaders: headersOf(attempt) }))
    .reverse();
  const latest = attempts[0] ?? { number: 1, startedAt: delivery.createdAt };
  const headers = headersOf(latest);
  const customHeaders = Object.keys(headers).filter((name) => headers[name] === hiddenValue);
  return (
    <div className="space-y-7">
      <div className="flex flex-wrap items-center gap-2">
        {actions}
        <CopyButton
          text={signedCurlCommand(url, headers, payload)}
          label="Copy as curl"
          variant="secondary"
        >
          Copy as curl
        </CopyButton>
        <p className="basis-full text-muted text-xs">
          The command signs with the secret in{" "}
          <code className="font-mono">$PARLANCE_WEBHOOK_SECRET</code>
          {customHeaders.length > 0 ? (
            <>
              {" "}
              and sends custom headers from{" "}
              <code className="font-mono">
                {customHeaders.map((name) => `$${variableOf(name)}`).join(", ")}
              </code>
            </>
          ) : null}
          .
        </p>
      </div>
      <section aria-labelledby="attempts">
        <h3 id="attempts" className="mb-3 font-semibold text-base">
          Attempts
        </h3>
        <AttemptTimeline
          attempts={attempts}
          upcoming={upcomingOf(delivery, isWebhookFailing, now)}
        />
        {delivery.attemptCount > attempts.length ? (
          <p className="text-muted">Older attempts are not shown.</p>
        ) : null}
      </section>
      <section aria-labelledby="request" className="space-y-3">
        <h3 id="request" className="font-semibold text-base">
          Request
        </h3>
        <p className="break-all font-mono text-xs">
          <span className="text-muted">POST</span> {url}
        </p>
        <JsonText text={payload} label="request body" base={base} />
      </section>
    </div>
  );
}

function upcomingOf(
  { status, attemptCount, nextAttemptAt }: DeliveryWithAttempts,
  isWebhookFailing: boolean,
  now: Date,
): ReactNode {
  if (nextAttemptAt && new Date(nextAttemptAt) > now) {
    return (
      <p>
        <span className="font-medium">Attempt {attemptCount + 1}</span> in{" "}
        <Countdown until={new Date(nextAttemptAt)} now={now} over="a moment" />
      </p>
    );
  }
  if (nextAttemptAt) {
    return (
      <p>
        <span className="font-medium">Attempt {attemptCount + 1}</span> is due
        {isWebhookFailing && status === "PENDING"
          ? ". The webhook keeps failing and gets one delivery at a time, so it may take a while."
          : "…"}
      </p>
    );
  }
  if (status === "PENDING") return <p>Waits for an earlier event of the same conversation.</p>;
  const sentence = endings[status];
  return sentence ? <p className="text-muted">{sentence}</p> : null;
}

/** Why no attempt follows automatically. */
const endings: Record<DeliveryWithAttempts["status"], string | null> = {
  PENDING: null,
  DELIVERED: null,
  FAILED: "No attempts left. Resend it once the receiver is fixed.",
  HELD: "Held because the webhook is disabled, or because its last attempt failed and its conversation waits for it. Within 30 days, you can enable the webhook and send it.",
  DISCARDED: "Discarded while it was held. You can still resend it.",
};
