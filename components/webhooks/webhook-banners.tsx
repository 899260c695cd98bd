import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import { healthSentences, webhookHealth } from "@/lib/webhooks/health";
import type { Webhook } from "@/lib/webhooks/schema";
import type { BacklogAction } from "@/prisma/generated/enums";
import { formatDeliveries, formatHeldDeliveries } from "./format-count";
import { disabledReasons } from "./webhook-status";

type WebhookBannersProps = {
  webhook: Webhook;
  /** How many deliveries are held. */
  held: number;
  /** What is already being done with them, if anything. */
  heldTask: BacklogAction | null;
  now: Date;
  /** Only for users with permission. */
  enableAction: ReactNode;
  heldActions: ReactNode;
};

/**
 * The most important facts about a webhook: it is disabled, will be disabled soon, or has held
 * deliveries.
 */
export function WebhookBanners({
  webhook,
  held,
  heldTask,
  now,
  enableAction,
  heldActions,
}: WebhookBannersProps) {
  const health = webhookHealth(webhook);
  if (health === "disabled") {
    return (
      <Banner title="This webhook is disabled" action={enableAction}>
        {webhook.disabledReason ? `${disabledReasons[webhook.disabledReason]}, ` : null}
        {webhook.disabledAt ? <Time at={new Date(webhook.disabledAt)} now={now} /> : null}.{" "}
        {held > 0
          ? `It holds ${formatDeliveries(held)}. Held deliveries are stored for 30 days.`
          : "New deliveries are held for 30 days."}
      </Banner>
    );
  }
  return (
    <>
      {health === "well" ? null : (
        <Banner
          variant={health === "failing" ? "warn" : "danger"}
          title={`${webhook.consecutiveFailures} attempts failed in a row`}
          action={null}
        >
          {healthSentences[health]}
        </Banner>
      )}
      {held > 0 && heldTask ? (
        <p role="status" className="mb-6 text-muted">
          {heldTask === "DISCARD" ? "Discarding" : "Sending"} held deliveries:{" "}
          {formatDeliveries(held)} left.
        </p>
      ) : held > 0 ? (
        <Banner variant="warn" title={capitalized(formatHeldDeliveries(held))} action={heldActions}>
          {webhook.onExhausted === "hold" && webhook.ordering === "conversation"
            ? "They were created while the webhook was disabled, or their last attempt failed and their conversations wait for them."
            : "They were created while the webhook was disabled."}{" "}
          Send or discard them within 30 days.
        </Banner>
      ) : null}
    </>
  );
}

type BannerProps = {
  variant?: "danger" | "warn";
  title: string;
  action: ReactNode;
  children: ReactNode;
};

function Banner({ variant = "danger", title, action, children }: BannerProps) {
  return (
    <div className="mb-6">
      <Notice variant={variant} role="note">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
          <div className="min-w-0 max-w-prose">
            <p className="font-semibold">{title}</p>
            <p>{children}</p>
          </div>
          {action ? <div className="flex flex-wrap gap-2">{action}</div> : null}
        </div>
      </Notice>
    </div>
  );
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
