import { Badge, type BadgeLook } from "@/components/ui/badge";
import { type WebhookHealth, webhookHealth } from "@/lib/webhooks/health";
import type { Webhook } from "@/lib/webhooks/schema";
import type { DisabledReason } from "@/prisma/generated/enums";

const looks: Record<WebhookHealth, { label: string; look: BadgeLook; failures: string }> = {
  well: { label: "Enabled", look: "good", failures: "" },
  failing: { label: "Failing", look: "warn", failures: "font-medium text-warn" },
  "about-to-be-disabled": { label: "Failing", look: "danger", failures: "font-medium text-danger" },
  disabled: { label: "Disabled", look: "danger", failures: "font-medium text-danger" },
};

/** The same in a word, where there is little room. */
export const shortReasons: Record<DisabledReason, string> = {
  MANUAL: "By hand",
  CONSECUTIVE_FAILURES: "100 failures in a row",
  GONE: "410, gone",
  UNCONFIRMED: "Suspended",
};

export const disabledReasons: Record<DisabledReason, string> = {
  MANUAL: "By a person or through the API",
  CONSECUTIVE_FAILURES: "After 100 failures in a row",
  GONE: "Its receiver answered 410, gone for good",
  UNCONFIRMED: "Suspended pending review by an owner or admin",
};

export function WebhookStatusBadge({ webhook }: { webhook: Webhook }) {
  const { label, look } = looks[webhookHealth(webhook)];
  return <Badge look={webhook.disabledReason === "MANUAL" ? "plain" : look}>{label}</Badge>;
}

/** "12/100": how far it is on its way to be disabled. */
export function FailureCount({ webhook, of }: { webhook: Webhook; of: number }) {
  const look = webhook.consecutiveFailures > 0 ? looks[webhookHealth(webhook)].failures : "";
  return (
    <span className={`tabular-nums ${look}`}>
      {webhook.consecutiveFailures}/{of}
    </span>
  );
}

/** What it listens to. */
export function EventBadges({ events }: { events: string[] }) {
  return (
    <span className="flex flex-wrap gap-1.5">
      {events.map((name) => (
        <Badge key={name} look="accent">
          {name === "*" ? "All events" : name}
        </Badge>
      ))}
    </span>
  );
}
