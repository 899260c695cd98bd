import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { InvitationActions } from "@/components/members/invitation-actions";
import { InviteDialog } from "@/components/members/invite-dialog";
import { MemberActions } from "@/components/members/member-actions";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { Badge } from "@/components/ui/badge";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { listInvitations } from "@/lib/members/invitations";
import { listMembersQuery } from "@/lib/members/schema";
import { listMembers } from "@/lib/members/service";
import {
  hasRole,
  mayChange,
  mayGrant,
  roleDescriptions,
  roleNames,
  roleSentence,
} from "@/lib/platform/roles";
import { userNames } from "@/lib/users/service";
import { Role } from "@/prisma/generated/enums";
import {
  changeRoleAction,
  endSessionsAction,
  inviteAction,
  removeMemberAction,
  resendInvitationAction,
  revokeInvitationAction,
} from "./actions";

export const metadata = { title: "Members" };

const roles = Object.values(Role);

export default dashboardPage(
  async ({ caller, user, tenant, role, environment, base, query, now }) => {
    const isAdmin = hasRole(role, "ADMIN");
    const [members, invitations] = await Promise.all([
      listMembers(caller, parse(listMembersQuery, query, "query")),
      isAdmin ? listInvitations(caller) : [],
    ]);
    const inviters = await userNames(caller, [
      ...new Set(invitations.map(({ invitedById }) => invitedById)),
    ]);
    const place = { tenant: tenant.slug, environment };
    const choices = roles
      .filter((given) => mayGrant(role, given))
      .map((given) => ({
        role: given,
        name: roleNames[given],
        description: roleDescriptions[given],
      }));

    return (
      <>
        <PageHeader
          title="Members"
          description={`The members of ${tenant.name} and their roles.`}
          guide="members-and-roles"
          actions={
            isAdmin ? (
              <InviteDialog
                organization={tenant.name}
                choices={choices}
                invite={inviteAction.bind(null, place)}
              />
            ) : (
              <RoleNote
                sentence={roleSentence("ADMIN", "invite and remove members and change roles")}
              />
            )
          }
        />
        <SettingsTabs base={base} role={role} current="settings/members" />
        <div className="space-y-8">
          <section>
            <h2 className="sr-only">Members</h2>
            <Table
              caption="Members, oldest account first"
              headings={[
                { label: "Name" },
                { label: "Role" },
                { label: "Joined" },
                ...(isAdmin ? [{ label: "Actions", isHidden: true }] : []),
              ]}
            >
              {members.data.map((member) => (
                <Row key={member.id}>
                  <RowName>
                    <span className="flex flex-wrap items-center gap-2 font-medium">
                      {member.name}
                      {member.id === user.id ? <Badge>You</Badge> : null}
                      {member.isSuspended ? <Badge variant="warn">Suspended</Badge> : null}
                    </span>
                    <span className="wrap-anywhere block text-muted">{member.email}</span>
                  </RowName>
                  <Cell label="Role">{roleNames[member.role]}</Cell>
                  <Cell label="Joined">
                    <Time at={member.joinedAt} now={now} />
                  </Cell>
                  {isAdmin ? (
                    <RowActions>
                      {mayChange(role, member.role) ? (
                        <MemberActions
                          member={member}
                          isSelf={member.id === user.id}
                          organization={tenant.name}
                          choices={choices}
                          changeRole={changeRoleAction.bind(null, place)}
                          endSessions={endSessionsAction.bind(null, place)}
                          removeMember={removeMemberAction.bind(null, place)}
                        />
                      ) : (
                        <span className="text-muted text-xs">Managed by owners</span>
                      )}
                    </RowActions>
                  ) : null}
                </Row>
              ))}
            </Table>
            <Pager
              path={`${base}/settings/members`}
              query={query}
              nextCursor={members.nextCursor}
            />
          </section>

          {isAdmin ? (
            <section className="space-y-3">
              <h2 className="font-semibold text-base">Invitations</h2>
              {invitations.length === 0 ? (
                <p className="rounded-2xl border border-line border-dashed bg-surface px-5 py-8 text-muted">
                  No open invitations. Invite a member to share this organization; an invitation
                  works once and expires after seven days.
                </p>
              ) : (
                <Table
                  caption="Open invitations, newest first"
                  headings={[
                    { label: "Email" },
                    { label: "Role" },
                    { label: "Invited by" },
                    { label: "Sent" },
                    { label: "Expires" },
                    { label: "Actions", isHidden: true },
                  ]}
                >
                  {invitations.map((invitation) => (
                    <Row key={invitation.id}>
                      <RowName>
                        <span className="wrap-anywhere font-medium">{invitation.email}</span>
                      </RowName>
                      <Cell label="Role">{roleNames[invitation.role]}</Cell>
                      <Cell label="Invited by">
                        {inviters.get(invitation.invitedById) ?? "Operator"}
                      </Cell>
                      <Cell label="Sent">
                        <Time at={invitation.sentAt} now={now} />
                      </Cell>
                      <Cell label="Expires">
                        {invitation.isSuspended ? (
                          <Badge variant="warn">Suspended</Badge>
                        ) : invitation.isOver ? (
                          <Badge variant="warn">Expired</Badge>
                        ) : (
                          <Time at={invitation.expiresAt} now={now} />
                        )}
                      </Cell>
                      <RowActions>
                        {mayGrant(role, invitation.role) ? (
                          <InvitationActions
                            invitation={{ id: invitation.id, email: invitation.email }}
                            resend={resendInvitationAction.bind(null, place)}
                            revoke={revokeInvitationAction.bind(null, place)}
                          />
                        ) : (
                          <span className="text-muted text-xs">Managed by owners</span>
                        )}
                      </RowActions>
                    </Row>
                  ))}
                </Table>
              )}
            </section>
          ) : null}

          <section className="space-y-3">
            <h2 className="font-semibold text-base">Role permissions</h2>
            <dl className="grid gap-x-6 gap-y-2 rounded-2xl border border-line bg-surface p-5 sm:grid-cols-[6rem_minmax(0,1fr)]">
              {roles.map((name) => (
                <div key={name} className="contents">
                  <dt className="font-medium">{roleNames[name]}</dt>
                  <dd className="text-muted max-sm:mb-2">{roleDescriptions[name]}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
      </>
    );
  },
);
