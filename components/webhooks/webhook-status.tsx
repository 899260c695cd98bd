import { Badge, type BadgeVariant } from "@/components/ui/badge";
import { type WebhookHealth, webhookHealth } from "@/lib/webhooks/health";
import type { Webhook } from "@/lib/webhooks/schema";
import type { DisabledReason } from "@/prisma/generated/enums";

const variants: Record<WebhookHealth, { label: string; variant: BadgeVariant; failures: string }> =
  {
    well: { label: "Enabled", variant: "good", failures: "" },
    failing: { label: "Failing", variant: "warn", failures: "font-medium text-warn" },
    "about-to-be-disabled": {
      label: "Failing",
      variant: "danger",
      failures: "font-medium text-danger",
    },
    disabled: { label: "Disabled", variant: "danger", failures: "font-medium text-danger" },
  };

/** The same in one word, for narrow places. */
export const disabledReasonLabels: Record<DisabledReason, string> = {
  MANUAL: "Manually",
  CONSECUTIVE_FAILURES: "100 failures in a row",
  GONE: "410, gone",
  UNCONFIRMED: "Suspended",
};

export const disabledReasons: Record<DisabledReason, string> = {
  MANUAL: "Manually or through the API",
  CONSECUTIVE_FAILURES: "After 100 failures in a row",
  GONE: "The receiver responded with 410 Gone",
  UNCONFIRMED: "Suspended pending review by an owner or admin",
};

export function WebhookStatusBadge({ webhook }: { webhook: Webhook }) {
  const { label, variant } = variants[webhookHealth(webhook)];
  return <Badge variant={webhook.disabledReason === "MANUAL" ? "plain" : variant}>{label}</Badge>;
}

/** "12/100": failures in a row, and the number that disables the webhook. */
export function FailureCount({ webhook, of }: { webhook: Webhook; of: number }) {
  const className =
    webhook.consecutiveFailures > 0 ? variants[webhookHealth(webhook)].failures : "";
  return (
    <span className={`tabular-nums ${className}`}>
      {webhook.consecutiveFailures}/{of}
    </span>
  );
}

/** The events it subscribes to. */
export function EventBadges({ events }: { events: string[] }) {
  return (
    <span className="flex flex-wrap gap-1.5">
      {events.map((name) => (
        <Badge key={name} variant="accent">
          {name === "*" ? "All events" : name}
        </Badge>
      ))}
    </span>
  );
}
