import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { VerifySnippets } from "@/components/docs/verify-snippets";
import { PageHeader } from "@/components/ui/page-header";
import { NewWebhook } from "@/components/webhooks/new-webhook";
import { eventFamilies } from "@/lib/api/event-reference";
import { requireRole } from "@/lib/platform/roles";
import { urlRule } from "@/lib/webhooks/webhook-url";
import { createWebhookAction } from "../actions";

export const metadata = { title: "Create a webhook" };

export default dashboardPage(async ({ caller, tenant, environment, base }) => {
  requireRole(caller, "ADMIN", "create webhooks");
  return (
    <>
      <PageHeader
        title="Create a webhook"
        trail={[{ name: "Webhooks", href: `${base}/webhooks` }]}
      />
      <NewWebhook
        environment={environment}
        families={eventFamilies()}
        urlHint={urlRule(environment)}
        listPath={`${base}/webhooks`}
        create={createWebhookAction.bind(null, { tenant: tenant.slug, environment })}
        snippets={<VerifySnippets />}
      />
    </>
  );
});
