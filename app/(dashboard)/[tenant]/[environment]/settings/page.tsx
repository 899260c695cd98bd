import type { ReactNode } from "react";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { DeleteOrganizationDialog } from "@/components/settings/delete-organization-dialog";
import { LeaveDialog } from "@/components/settings/leave-dialog";
import { NameForm } from "@/components/settings/name-form";
import { SecondFactorRequirement } from "@/components/settings/second-factor-requirement";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { WipeDialog } from "@/components/settings/wipe-dialog";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { CopyableId } from "@/components/ui/copyable-id";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { decimalSize } from "@/lib/platform/byte-size";
import { hasRole, roleNames, roleSentence } from "@/lib/platform/roles";
import { countMembersWithoutFactor } from "@/lib/second-factor/requirement";
import {
  getTenant,
  planNames,
  planRateLimits,
  planStorageBytes,
  planTenantRateLimits,
} from "@/lib/tenants/service";
import { findWipe } from "@/lib/test-data/service";
import {
  changeSecondFactorRequirementAction,
  deleteOrganizationAction,
  leaveAction,
  renameOrganizationAction,
  wipeTestDataAction,
} from "./actions";

export const metadata = { title: "Settings" };

const grouped = (count: number) => count.toLocaleString("en");

export default dashboardPage(async ({ caller, role, environment, base, now }) => {
  const [tenant, wipe, without] = await Promise.all([
    getTenant(caller),
    findWipe(caller),
    hasRole(role, "OWNER") ? countMembersWithoutFactor(caller) : 0,
  ]);
  const place = { tenant: tenant.slug, environment };
  const isAdmin = hasRole(role, "ADMIN");
  return (
    <>
      <PageHeader
        title="Settings"
        description={`Settings of ${tenant.name}, for both environments.`}
      />
      <SettingsTabs base={base} role={role} current="settings" />
      <div className="space-y-6">
        <Panel title="Organization">
          <div className="space-y-5">
            {isAdmin ? (
              <NameForm
                label="Name"
                name={tenant.name}
                autoComplete="organization"
                hint="Shown in invitations and emails."
                rename={renameOrganizationAction.bind(null, place)}
              />
            ) : null}
            <Facts
              facts={[
                ...(isAdmin ? [] : [{ name: "Name", value: tenant.name }]),
                { name: "Slug", value: <CopyableId id={tenant.slug} /> },
                { name: "ID", value: <CopyableId id={tenant.id} /> },
                { name: "Plan", value: planNames[tenant.plan] },
                {
                  name: "Rate limit",
                  value: `${grouped(planRateLimits[tenant.plan])} requests per minute for each key, ${grouped(planTenantRateLimits[tenant.plan])} for each environment`,
                },
                {
                  name: "Storage",
                  value: `${decimalSize(planStorageBytes[tenant.plan])} of documents and files in each environment`,
                },
                { name: "Created", value: <Time at={tenant.createdAt} now={now} /> },
                { name: "Your role", value: roleNames[role] },
              ]}
            />
            {isAdmin ? null : (
              <RoleNote sentence={roleSentence("ADMIN", "rename the organization")} />
            )}
          </div>
        </Panel>
        <Panel
          title="Second factor"
          aside={
            hasRole(role, "OWNER") ? (
              <SecondFactorRequirement
                isRequired={tenant.requiresSecondFactor}
                without={without}
                change={changeSecondFactorRequirementAction.bind(null, place)}
              />
            ) : null
          }
        >
          <div className="space-y-3">
            <p className="max-w-prose text-muted">
              {tenant.requiresSecondFactor
                ? "Required. Members without a passkey or an authenticator app must add one before they get in."
                : "Not required. Members can sign in with only a password or a linked account."}
            </p>
            {hasRole(role, "OWNER") ? null : (
              <RoleNote sentence={roleSentence("OWNER", "change this")} />
            )}
          </div>
        </Panel>
        <Panel title="Danger zone">
          <ul className="divide-y divide-line">
            <Danger
              title="Wipe test data"
              description="Deletes all conversations, customers, agents, knowledge, events, logs and usage of the test environment. Keys, webhooks and live data are not affected."
            >
              {wipe ? (
                <p role="status" className="text-muted">
                  Wipe in progress, started <Time at={wipe.requestedAt} now={now} />.{" "}
                  {grouped(wipe.deletedRows)} rows deleted so far.
                  <AutoRefresh everyMs={2_000} />
                </p>
              ) : isAdmin ? (
                <WipeDialog slug={tenant.slug} wipe={wipeTestDataAction.bind(null, place)} />
              ) : (
                <RoleNote sentence={roleSentence("ADMIN", "wipe the test data")} />
              )}
            </Danger>
            <Danger
              title="Leave this organization"
              description="You lose access immediately. If you’re the only owner, make another member an owner first."
            >
              <LeaveDialog organization={tenant.name} leave={leaveAction.bind(null, place)} />
            </Danger>
            <Danger
              title="Delete this organization"
              description="Deletes the organization with everything in both environments, for all members. This cannot be undone."
            >
              {hasRole(role, "OWNER") ? (
                <DeleteOrganizationDialog
                  name={tenant.name}
                  slug={tenant.slug}
                  remove={deleteOrganizationAction.bind(null, place)}
                />
              ) : (
                <RoleNote sentence={roleSentence("OWNER", "delete the organization")} />
              )}
            </Danger>
          </ul>
        </Panel>
      </div>
    </>
  );
});

function Danger({
  title,
  description,
  children,
}: {
  title: string;
  description: string;
  children: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4 first:pt-0 last:pb-0">
      <div className="min-w-0 max-w-prose flex-1 basis-72">
        <h3 className="font-medium">{title}</h3>
        <p className="text-muted">{description}</p>
      </div>
      {children}
    </li>
  );
}
