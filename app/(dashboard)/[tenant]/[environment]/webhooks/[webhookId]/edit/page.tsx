import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { PageHeader } from "@/components/ui/page-header";
import { EditWebhook } from "@/components/webhooks/edit-webhook";
import { eventFamilies } from "@/lib/api/event-reference";
import { requireRole } from "@/lib/platform/roles";
import { getWebhook } from "@/lib/webhooks/service";
import { urlRule } from "@/lib/webhooks/webhook-url";
import { updateWebhookAction } from "../../actions";

export const metadata = { title: "Edit webhook" };

export default dashboardPage<"webhookId">(async ({ caller, tenant, environment, base, params }) => {
  requireRole(caller, "ADMIN", "change webhooks");
  const { id, url, description, events, metadata } = await getWebhook(caller, params.webhookId);
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
        initial={{ url, description, events, metadata }}
        families={eventFamilies()}
        urlHint={urlRule(environment)}
        path={path}
        update={updateWebhookAction.bind(null, { tenant: tenant.slug, environment }, id)}
      />
    </>
  );
});
