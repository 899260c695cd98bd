import { Pencil } from "lucide-react";
import type { PageContext } from "@/app/(dashboard)/dashboard-page";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { ButtonLink } from "@/components/ui/button";
import { RoleNote } from "@/components/ui/role-note";
import { EnableWebhook } from "@/components/webhooks/enable-webhook";
import { formatDeliveries } from "@/components/webhooks/format-count";
import { RecoverDeliveries } from "@/components/webhooks/recover-deliveries";
import { ReplayEvents } from "@/components/webhooks/replay-events";
import { RotateSecret } from "@/components/webhooks/rotate-secret";
import { TestButton } from "@/components/webhooks/test-button";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import { eventTypes, typesOfPatterns } from "@/lib/events/event-types";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import type { Webhook } from "@/lib/webhooks/schema";
import {
  deleteWebhookAction,
  disableWebhookAction,
  discardHeldAction,
  dropOldSecretAction,
  enableWebhookAction,
  recoverDeliveriesAction,
  replayWebhookAction,
  resumeHeldAction,
  rotateSecretAction,
  sendTestEventAction,
} from "../actions";

type Unsent = { pending: number; held: number };

/**
 * Every action for a webhook, by its place on the page. Users without permission see one explanation.
 */
export function webhookControls(
  { role, tenant, environment, base }: PageContext,
  webhook: Webhook,
  { pending, held }: Unsent,
) {
  if (!hasRole(role, "ADMIN")) {
    const note = <RoleNote sentence={roleSentence("ADMIN", "change, test and resend")} />;
    return {
      header: note,
      enable: null,
      held: null,
      rotate: null,
      dropOldSecret: null,
      recover: null,
      footer: null,
    };
  }

  const place = { tenant: tenant.slug, environment };
  const path = `${base}/webhooks/${webhook.id}`;
  const isEnabled = webhook.status === "ENABLED";
  return {
    header: (
      <>
        <ButtonLink variant="secondary" href={`${path}/edit`}>
          <Pencil className="size-4" aria-hidden="true" />
          Edit
        </ButtonLink>
        <TestButton
          path={path}
          sendTest={sendTestEventAction.bind(null, place, webhook.id)}
          types={eventTypes}
        />
      </>
    ),
    enable:
      webhook.disabledReason === "UNCONFIRMED" ? (
        <ButtonLink href={`${base}/settings/access-review`}>Review access</ButtonLink>
      ) : (
        <EnableWebhook
          environment={environment}
          held={held}
          enable={enableWebhookAction.bind(null, place, webhook.id)}
        />
      ),
    held: (
      <>
        <ConfirmDialog
          trigger="Discard…"
          variant="secondary"
          title="Discard held deliveries?"
          environment={environment}
          confirm="Discard deliveries"
          pending="Discarding…"
          act={discardHeldAction.bind(null, place, webhook.id)}
          done="Held deliveries discarded."
        >
          <p>
            To be discarded: {formatDeliveries(held)}. They are no longer sent automatically. You
            can resend each one until 30 days after its event.
          </p>
        </ConfirmDialog>
        <ConfirmDialog
          trigger="Send…"
          variant="primary"
          title="Send held deliveries?"
          environment={environment}
          confirm="Send deliveries"
          pending="Starting…"
          confirmVariant="primary"
          act={resumeHeldAction.bind(null, place, webhook.id)}
          done="Sending held deliveries."
        >
          <p>
            To be sent: {formatDeliveries(held)}, oldest first, at {recoveredPerSecond} per second.
            Each starts a new retry schedule.
          </p>
        </ConfirmDialog>
      </>
    ),
    rotate: (
      <RotateSecret
        webhookId={webhook.id}
        environment={environment}
        hint={webhook.secretHint}
        isOverlapping={webhook.previousSecretExpiresAt !== null}
        rotate={rotateSecretAction.bind(null, place, webhook.id)}
      />
    ),
    dropOldSecret: (
      <ConfirmDialog
        trigger="Expire old secret…"
        variant="secondary"
        size="small"
        title="Expire the old secret now?"
        environment={environment}
        confirm="Expire secret"
        pending="Expiring…"
        act={dropOldSecretAction.bind(null, place, webhook.id)}
        done="Old secret expired."
      >
        <p>
          From now on, deliveries carry only the newest secret's signature. A receiver that still
          verifies with the old secret rejects them.
        </p>
      </ConfirmDialog>
    ),
    recover: isEnabled ? (
      <div className="flex gap-2">
        <ReplayEvents
          webhookId={webhook.id}
          environment={environment}
          types={typesOfPatterns(webhook.events)}
          replay={replayWebhookAction.bind(null, place, webhook.id)}
        />
        <RecoverDeliveries
          webhookId={webhook.id}
          environment={environment}
          recover={recoverDeliveriesAction.bind(null, place, webhook.id)}
        />
      </div>
    ) : null,
    footer: (
      <>
        {isEnabled ? (
          <ConfirmDialog
            trigger="Disable…"
            variant="secondary"
            title="Disable this webhook?"
            environment={environment}
            confirm="Disable webhook"
            pending="Disabling…"
            act={disableWebhookAction.bind(null, place, webhook.id)}
            done="Webhook disabled."
          >
            <p>
              Nothing more is sent to <span className="break-all font-medium">{webhook.url}</span>.{" "}
              {pending > 0
                ? `Pending deliveries (${pending.toLocaleString("en")}) and new ones are`
                : "New deliveries are"}{" "}
              held for 30 days. You can send them when you enable the webhook again.
            </p>
          </ConfirmDialog>
        ) : null}
        <ConfirmDialog
          trigger="Delete…"
          title="Delete this webhook?"
          environment={environment}
          confirm="Delete webhook"
          pending="Deleting…"
          act={deleteWebhookAction.bind(null, place, webhook.id)}
          done="Webhook deleted."
        >
          <p>
            <span className="break-all font-medium">{webhook.url}</span> and its signing secret are
            deleted immediately, together with its deliveries and their attempts. This cannot be
            undone. The events themselves stay.
          </p>
          {pending + held > 0 ? <p>{dropped(pending, held)}</p> : null}
        </ConfirmDialog>
      </>
    ),
  };
}

function dropped(pending: number, held: number): string {
  const parts = [
    pending > 0 && `${formatDeliveries(pending)} waiting for an attempt`,
    held > 0 && `${formatDeliveries(held)} held`,
  ];
  return `Dropped and never sent: ${parts.filter((part) => part !== false).join(" and ")}.`;
}
