import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { AlertTarget } from "@/components/notifications/alert-target";
import { ChoicesForm } from "@/components/notifications/choices-form";
import { PopUpsPanel } from "@/components/notifications/pop-ups-panel";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { mailTransport } from "@/lib/mail/mail-transport";
import { getMutedNotifications } from "@/lib/notifications/service";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { getAlertTarget } from "@/lib/webhooks/alerts";
import { changeAlertTargetAction, changeChoicesAction } from "./actions";

export const metadata = { title: "Notification settings" };

export default dashboardPage(async ({ caller, role, tenant, environment, base, now }) => {
  const isAdmin = hasRole(role, "ADMIN");
  const [muted, target] = await Promise.all([
    getMutedNotifications(caller),
    isAdmin ? getAlertTarget(caller) : null,
  ]);
  const place = { tenant: tenant.slug, environment };
  return (
    <>
      <PageHeader
        title="Notifications"
        description="Choose what you are notified of. Your choices apply in every organization."
        guide="notifications"
      />
      <SettingsTabs base={base} role={role} current="settings/notifications" />
      <div className="space-y-6">
        <Panel title="What you get">
          <ChoicesForm
            muted={muted}
            hasMail={mailTransport() !== "none"}
            change={changeChoicesAction.bind(null, place)}
          />
        </Panel>
        <Panel title="This browser">
          <PopUpsPanel />
        </Panel>
        <Panel title="Alerts in a chat">
          {isAdmin ? (
            <div className="space-y-4">
              <p className="max-w-prose text-muted">
                Posts a message when a webhook of {tenant.name}, live or test, keeps failing or is
                disabled, and when an environment reaches 80% or 100% of its storage quota. Works
                with an incoming webhook of Slack, or one that takes the same messages.
              </p>
              {target ? (
                <Facts
                  facts={[
                    {
                      name: "Sent to",
                      value: target.isSuspended
                        ? `${target.host} (suspended: see Access review)`
                        : target.host,
                    },
                    {
                      name: "Last message",
                      value: target.newest ? (
                        <>
                          {statuses[target.newest.status]}
                          {target.newest.error ? ` (${target.newest.error})` : ""},{" "}
                          <Time at={target.newest.createdAt} now={now} />
                        </>
                      ) : (
                        "None in the last 30 days"
                      ),
                    },
                  ]}
                />
              ) : null}
              <AlertTarget
                host={target?.host ?? null}
                change={changeAlertTargetAction.bind(null, place)}
              />
            </div>
          ) : (
            <RoleNote sentence={roleSentence("ADMIN", "change where alerts go")} />
          )}
        </Panel>
      </div>
    </>
  );
});

const statuses = { PENDING: "Waiting", SENT: "Sent", FAILED: "Failed", KEPT: "Sent" } as const;
