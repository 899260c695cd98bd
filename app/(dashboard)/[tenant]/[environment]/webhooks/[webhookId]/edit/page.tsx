import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { PageHeader } from "@/components/ui/page-header";
import { EditWebhook } from "@/components/webhooks/edit-webhook";
import { eventFamilies } from "@/lib/api/event-reference";
import { requireRole } from "@/lib/platform/roles";
import { toDeliveryOptions } from "@/lib/webhooks/delivery-options";
import { getWebhook } from "@/lib/webhooks/service";
import { urlRule } from "@/lib/webhooks/webhook-url";
import { previewFilterAction, updateWebhookAction } from "../../actions";
import { filterChoices } from "../../filter-choices";

const load = cache(getWebhook);

export const generateMetadata = objectTitle<"webhookId">(
  "Edit · Webhooks",
  async (caller, { webhookId }) => (await load(caller, webhookId)).url,
);

export default dashboardPage<"webhookId">(async ({ caller, tenant, environment, base, params }) => {
  requireRole(caller, "ADMIN", "change webhooks");
  const webhook = await load(caller, params.webhookId);
  const { id, url, description, events, filter, headerNames, metadata } = webhook;
  const place = { tenant: tenant.slug, environment };
  const path = `${base}/webhooks/${id}`;
  return (
    <>
      <PageHeader
        title="Edit webhook"
        trail={[
          { name: "Webhooks", href: `${base}/webhooks` },
          { name: url, href: path },
        ]}
      />
      <EditWebhook
        webhookId={id}
        initial={{
          url,
          description,
          events,
          filter,
          headers: {},
          ...toDeliveryOptions(webhook),
          metadata,
        }}
        headerNames={headerNames}
        families={eventFamilies()}
        urlHint={urlRule(environment)}
        filtering={{
          base,
          choices: await filterChoices(caller),
          preview: previewFilterAction.bind(null, place),
        }}
        path={path}
        update={updateWebhookAction.bind(null, place, id)}
      />
    </>
  );
});
