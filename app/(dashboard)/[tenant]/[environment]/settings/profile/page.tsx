import { cookies } from "next/headers";
import { deleteAccountAction, signOutAction } from "@/app/(auth)/actions";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { secondFactorPanel } from "@/app/(dashboard)/second-factor";
import { ChangeEmail } from "@/components/profile/change-email";
import { DeleteAccountDialog } from "@/components/profile/delete-account-dialog";
import { PasswordForm } from "@/components/profile/password-form";
import { SignOutEverywhere, SignOutOne } from "@/components/profile/session-buttons";
import { SignInMethods } from "@/components/profile/sign-in-methods";
import { ThemeChoice } from "@/components/profile/theme-choice";
import { NameForm } from "@/components/settings/name-form";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { Badge } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { themeCookie, themes } from "@/components/ui/theme";
import { Time } from "@/components/ui/time";
import { findRequestedChange } from "@/lib/auth/email-change";
import { listProviderAccounts } from "@/lib/auth/provider-sign-in";
import { configuredProviders } from "@/lib/auth/providers";
import { env, sessionLifetimeHours } from "@/lib/platform/env";
import { deviceName } from "@/lib/sessions/device-name";
import { listSessions } from "@/lib/sessions/service";
import { signInMethodNames } from "@/lib/sessions/sign-in-methods";
import { minimumPasswordLength } from "@/lib/users/schema";
import {
  changePasswordAction,
  renameSelfAction,
  requestEmailChangeAction,
  revokeSessionAction,
} from "./actions";

export const metadata = { title: "Profile and sessions" };

export default dashboardPage(async ({ caller, role, user, tenant, environment, base, now }) => {
  const [requested, sessions, accounts, secondFactor] = await Promise.all([
    findRequestedChange(user),
    listSessions(caller.db, user.id),
    listProviderAccounts(caller.db, user.id),
    secondFactorPanel(user, now),
  ]);
  const place = { tenant: tenant.slug, environment };
  const chosenTheme = (await cookies()).get(themeCookie)?.value;
  const { SESSION_IDLE_HOURS: idleHours } = env();
  return (
    <>
      <PageHeader
        title="Profile and sessions"
        description="Your name and sign-in, in every organization."
      />
      <SettingsTabs base={base} role={role} current="settings/profile" />
      <div className="space-y-6">
        <Panel title="Profile">
          <div className="space-y-5">
            <NameForm
              label="Your name"
              name={user.name}
              autoComplete="name"
              hint="Shown next to your messages and actions."
              rename={renameSelfAction.bind(null, place)}
            />
            <Facts
              facts={[
                {
                  name: "Email",
                  value: (
                    <ChangeEmail
                      email={user.email}
                      requested={requested?.to ?? null}
                      request={requestEmailChangeAction}
                    />
                  ),
                },
                { name: "ID", value: <CopyableId id={user.id} /> },
              ]}
            />
          </div>
        </Panel>
        <Panel title="Sign-in methods">
          <SignInMethods
            email={user.email}
            hasPassword={user.hasPassword}
            accounts={accounts}
            configured={configuredProviders()}
            now={now}
          />
        </Panel>
        {secondFactor}
        <Panel title="Password">
          <PasswordForm
            email={user.email}
            hasPassword={user.hasPassword}
            minimumLength={minimumPasswordLength}
            change={changePasswordAction}
          />
        </Panel>
        <section className="space-y-3">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h2 className="font-semibold text-base">Sessions</h2>
            <SignOutEverywhere count={sessions.length} signOut={signOutAction} />
          </div>
          <Table
            caption="Your sessions, newest first"
            headings={[
              { label: "Device" },
              { label: "IP address" },
              { label: "Signed in" },
              { label: "Method" },
              { label: "Last seen" },
              { label: "Actions", isHidden: true },
            ]}
          >
            {sessions.map((session) => {
              const device = deviceName(session.userAgent);
              const isThis = session.id === user.sessionId;
              return (
                <Row key={session.id}>
                  <RowName>
                    <span className="flex flex-wrap items-center gap-2 font-medium">
                      {device}
                      {isThis ? <Badge variant="good">This device</Badge> : null}
                    </span>
                    {session.userAgent ? (
                      <details className="mt-0.5 text-muted text-xs">
                        <summary className="w-fit hover:text-ink">User agent</summary>
                        <p className="wrap-anywhere mt-0.5 max-w-64">{session.userAgent}</p>
                      </details>
                    ) : null}
                  </RowName>
                  <Cell label="IP address">{session.address ?? "Unknown"}</Cell>
                  <Cell label="Signed in">
                    <Time at={session.createdAt} now={now} />
                  </Cell>
                  <Cell label="Method">{signInMethodNames[session.method]}</Cell>
                  <Cell label="Last seen">
                    {isThis ? (
                      "Now"
                    ) : (
                      <Time at={session.lastSeenAt ?? session.createdAt} now={now} />
                    )}
                  </Cell>
                  <RowActions>
                    {isThis ? null : (
                      <SignOutOne
                        device={device}
                        signOut={revokeSessionAction.bind(null, place, session.id)}
                      />
                    )}
                  </RowActions>
                </Row>
              );
            })}
          </Table>
          <p className="text-muted">
            Sessions end {sessionLifetimeHours} hours after sign-in
            {idleHours < sessionLifetimeHours
              ? `, or after ${idleHours === 1 ? "an hour" : `${idleHours} hours`} without use`
              : ""}
            .
          </p>
        </section>
        <Panel title="Appearance">
          <ThemeChoice chosen={themes.find((theme) => theme === chosenTheme) ?? null} />
        </Panel>
        <Panel
          title="Delete account"
          aside={<DeleteAccountDialog email={user.email} remove={deleteAccountAction} />}
        >
          <p className="max-w-prose text-muted">
            Deletes your account in every organization. If you’re the only owner of one, make
            another member an owner or delete it first.
          </p>
        </Panel>
      </div>
    </>
  );
});
