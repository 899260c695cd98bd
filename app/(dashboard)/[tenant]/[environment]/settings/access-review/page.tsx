import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { AccessTable } from "@/components/access-review/access-table";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { EnvironmentName } from "@/components/shell/environment-name";
import { PageHeader } from "@/components/ui/page-header";
import type { AccessKind } from "@/lib/access-review/schema";
import { countSuspendedAccess, listSuspendedAccess } from "@/lib/access-review/service";
import { roleNames } from "@/lib/platform/roles";
import type { Environment } from "@/prisma/generated/enums";
import { confirmAccessAction, revokeAccessAction } from "./actions";

export const metadata = { title: "Access review" };

export default dashboardPage(async ({ caller, role, tenant, environment, base, now }) => {
  const found = await listSuspendedAccess(caller);
  const count = countSuspendedAccess(found);
  const place = { tenant: tenant.slug, environment };
  const actions = (kind: AccessKind, id: string, where: Environment = environment) => ({
    confirm: confirmAccessAction.bind(null, place, { kind, id }),
    revoke: revokeAccessAction.bind(null, place, { kind, id, environment: where }),
  });

  return (
    <>
      <PageHeader
        title="Access review"
        description="Access that was added before an email address was confirmed. It is suspended until you confirm or revoke it."
        guide="members-and-roles"
        actions={
          count > 0 ? (
            <ConfirmDialog
              trigger="Confirm everything…"
              variant="secondary"
              title={`Confirm everything in ${tenant.name}?`}
              environment={null}
              confirm="Confirm everything"
              confirmVariant="primary"
              pending="Confirming…"
              act={confirmAccessAction.bind(null, place, "everything")}
              done="All access confirmed."
            >
              <p>
                Do this only if you recognize every key, webhook, destination, invitation and member
                on this page. All of them work again immediately.
              </p>
            </ConfirmDialog>
          ) : null
        }
      />
      <SettingsTabs base={base} role={role} current="settings/access-review" />
      <div className="space-y-8">
        {count === 0 ? (
          <p className="rounded-2xl border border-line border-dashed bg-surface px-5 py-8 text-muted">
            Nothing is suspended. When a user first confirms their email address, the access they
            added before that appears here for review.
          </p>
        ) : null}
        <AccessTable
          title="API keys"
          noun="API key"
          details="Key"
          effects={{
            confirm:
              "Requests with this key are accepted again. If someone else may know it, revoke it and create a new one.",
            revoke: "The key never works again.",
          }}
          now={now}
          rows={found.apiKeys.map((key) => ({
            id: key.id,
            name: key.name,
            environment: key.environment,
            detail: (
              <>
                <EnvironmentName environment={key.environment} />{" "}
                <code className="break-all font-mono text-xs">{key.hint}</code>
              </>
            ),
            createdAt: key.createdAt,
            ...actions("apiKeys", key.id, key.environment),
          }))}
        />
        <AccessTable
          title="Webhooks"
          noun="webhook"
          details="Events"
          effects={{
            confirm:
              "Events are sent to this address again, including those held while it was suspended.",
            revoke: "The webhook is deleted. Events held for it are never sent.",
          }}
          now={now}
          rows={found.webhooks.map((webhook) => ({
            id: webhook.id,
            name: webhook.url,
            environment: webhook.environment,
            detail: (
              <>
                <EnvironmentName environment={webhook.environment} /> {webhook.events.join(", ")}
              </>
            ),
            createdAt: webhook.createdAt,
            ...actions("webhooks", webhook.id, webhook.environment),
          }))}
        />
        <AccessTable
          title="Alerts"
          noun="alert destination"
          details="Sent to it"
          effects={{
            confirm: "Alerts are sent to this chat again, including those that waited.",
            revoke: "The URL is removed. Alerts that waited are never sent.",
          }}
          now={now}
          rows={found.alertTargets.map(({ id, host, changedAt }) => ({
            id,
            name: host,
            environment: null,
            detail: "test and live",
            createdAt: changedAt,
            ...actions("alertTargets", id),
          }))}
        />
        <AccessTable
          title="Invitations"
          noun="invitation"
          details="Role"
          effects={{
            confirm: "The invitation can be accepted again.",
            revoke: "The link in the invitation is no longer valid.",
          }}
          now={now}
          rows={found.invitations.map(({ id, email, role, createdAt }) => ({
            id,
            name: email,
            environment: null,
            detail: roleNames[role],
            createdAt,
            ...actions("invitations", id),
          }))}
        />
        <AccessTable
          title="Members"
          noun="member"
          details="Email and role"
          effects={{
            confirm: "The member has access again, in the role shown here.",
            revoke: "The member is removed and signed out on every device.",
          }}
          now={now}
          rows={found.members.map(({ id, name, email, role, createdAt }) => ({
            id,
            name,
            environment: null,
            detail: `${email}, ${roleNames[role]}`,
            createdAt,
            ...actions("members", id),
          }))}
        />
      </div>
    </>
  );
});
