import type { PageContext } from "@/app/(dashboard)/dashboard-page";
import { DeliveryBadge } from "@/components/deliveries/delivery-badge";
import { DeliveryDetails } from "@/components/deliveries/delivery-details";
import { ResendButton } from "@/components/deliveries/resend-button";
import { CopyableId } from "@/components/ui/copyable-id";
import { Drawer } from "@/components/ui/drawer";
import { Link } from "@/components/ui/link";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { shownHeaders } from "@/lib/deliveries/engine/delivery-headers";
import type { SearchDeliveries } from "@/lib/deliveries/schema";
import { neighborsOfDelivery } from "@/lib/deliveries/search";
import { getDelivery } from "@/lib/deliveries/service";
import { sentFor } from "@/lib/events/record-event";
import { getPayload } from "@/lib/events/service";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { webhookHealth } from "@/lib/webhooks/health";
import type { Webhook } from "@/lib/webhooks/schema";
import { resendDeliveryAction } from "../actions";

type Opened = {
  webhook: Webhook;
  deliveryId: string;
  /** The list that contains it, for links to its neighbors. */
  search: SearchDeliveries;
  hrefOf: (deliveryId: string | null) => string;
};

/**
 * One delivery, in a drawer over the list. `isWaiting`: it is about to change by itself.
 */
export async function renderDeliveryDrawer(
  { caller, role, tenant, environment, base, now }: PageContext,
  { webhook, deliveryId, search, hrefOf }: Opened,
) {
  const [delivery, { newer, older }] = await Promise.all([
    getDelivery(caller, webhook.id, deliveryId),
    neighborsOfDelivery(caller, webhook.id, deliveryId, search),
  ]);
  const sent = sentFor(delivery.eventType, await getPayload(caller, delivery.eventId));
  const isDue = delivery.nextAttemptAt !== null && new Date(delivery.nextAttemptAt) <= now;
  const isRequested = isDue && (delivery.status !== "PENDING" || delivery.attemptCount > 0);
  const resend = resendDeliveryAction.bind(
    null,
    { tenant: tenant.slug, environment },
    webhook.id,
    delivery.id,
  );
  const [previousHref, nextHref] = [newer, older].map((id) => (id ? hrefOf(id) : null));

  const drawer = (
    <Drawer
      title={sent.type === delivery.eventType ? sent.type : `${sent.type} (test)`}
      description={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span role="status">
            <DeliveryBadge status={delivery.status} attemptCount={delivery.attemptCount} />
          </span>
          <CopyableId id={delivery.id} />
          <span>
            created <Time at={new Date(delivery.createdAt)} now={now} />
          </span>
          <Link href={`${base}/events/${delivery.eventId}`} className="text-accent hover:underline">
            Show the event
          </Link>
        </div>
      }
      closeHref={hrefOf(null)}
      neighbors={{
        previous: { name: "Newer delivery (left arrow)", href: previousHref ?? null },
        next: { name: "Older delivery (right arrow)", href: nextHref ?? null },
      }}
    >
      <DeliveryDetails
        delivery={delivery}
        payload={sent.payload}
        url={webhook.url}
        headersOf={({ number, startedAt }) =>
          shownHeaders(
            { ...delivery, eventType: sent.type, attemptNumber: number },
            new Date(startedAt),
            webhook.headerNames,
          )
        }
        isWebhookFailing={webhookHealth(webhook) !== "well"}
        base={base}
        now={now}
        actions={
          hasRole(role, "ADMIN") ? (
            <ResendButton
              resend={resend}
              variant={delivery.status === "DELIVERED" ? "secondary" : "primary"}
              isDisabled={isRequested || (isDue && delivery.attemptCount === 0)}
            />
          ) : (
            <RoleNote sentence={roleSentence("ADMIN", "resend deliveries")} />
          )
        }
      />
    </Drawer>
  );
  return { drawer, isWaiting: isDue };
}
