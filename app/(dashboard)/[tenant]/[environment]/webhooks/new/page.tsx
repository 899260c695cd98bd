import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { VerifySnippets } from "@/components/docs/verify-snippets";
import { PageHeader } from "@/components/ui/page-header";
import { NewWebhook } from "@/components/webhooks/new-webhook";
import { eventFamilies } from "@/lib/api/event-reference";
import { requireRole } from "@/lib/platform/roles";
import { urlRule } from "@/lib/webhooks/webhook-url";
import { createWebhookAction, previewFilterAction } from "../actions";
import { filterChoices } from "../filter-choices";

export const metadata = { title: "Create a webhook" };

export default dashboardPage(async ({ caller, tenant, environment, base }) => {
  requireRole(caller, "ADMIN", "create webhooks");
  const place = { tenant: tenant.slug, environment };
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
        filtering={{
          base,
          choices: await filterChoices(caller),
          preview: previewFilterAction.bind(null, place),
        }}
        listPath={`${base}/webhooks`}
        create={createWebhookAction.bind(null, place)}
        snippets={<VerifySnippets />}
      />
    </>
  );
});
