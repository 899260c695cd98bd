import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { RetentionForm } from "@/components/settings/retention-form";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { RoleNote } from "@/components/ui/role-note";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { getRetention } from "@/lib/retention/settings";
import { previewRetentionAction, updateRetentionAction } from "./actions";

export const metadata = { title: "Retention" };

export default dashboardPage(async ({ caller, role, tenant, environment, base }) => {
  const retention = await getRetention(caller);
  const place = { tenant: tenant.slug, environment };
  return (
    <>
      <PageHeader
        title="Retention"
        description={`How long the ${environment} environment of ${tenant.name} stores data.`}
      />
      <SettingsTabs base={base} role={role} current="settings/retention" />
      <Panel title="Retention in days">
        {hasRole(role, "ADMIN") ? (
          <RetentionForm
            key={JSON.stringify(retention)}
            retention={retention}
            environment={environment}
            preview={previewRetentionAction.bind(null, place)}
            update={updateRetentionAction.bind(null, place)}
          />
        ) : (
          <RoleNote sentence={roleSentence("ADMIN", "change the retention")} />
        )}
      </Panel>
    </>
  );
});
