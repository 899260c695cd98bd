import { afterEach, expect, test } from "vitest";
import { signUpByInvitation } from "@/lib/auth/service";
import { openMail } from "@/lib/mail/service";
import { acceptInvitation, findInvitation } from "@/lib/members/accept-invitation";
import {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from "@/lib/members/invitations";
import { changeRole, leaveOrganization, removeMember } from "@/lib/members/service";
import { type Caller, mutate, reader } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db } from "@/lib/platform/db";
import { RoleMissing } from "@/lib/platform/roles";
import { setCurrentTime } from "@/lib/platform/time";
import type { Role } from "@/prisma/generated/enums";
import {
  as,
  auditOf,
  newAddress,
  newMember,
  newOrganization,
  newPerson,
  someDevice,
  type TestPerson,
} from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

afterEach(() => setCurrentTime(null));

const invite = (by: TestPerson, email: string, role: Role = "MEMBER") =>
  mutate(as(by), (caller) => createInvitation(caller, { email, role }));

const tokenOf = (link: string | null) => link?.split("/").at(-1) ?? "";

const accept = (user: { id: string; email: string }, token: string) =>
  acceptInvitation({ ...user, address: null }, token);

const over = "This invitation was already used, was revoked, or has expired.";

test("the owner of the address accepts once, and gets the role of the invitation", async () => {
  const { tenant, owner } = await newOrganization();
  const person = await newPerson();
  const { id, link } = await invite(owner, person.email, "VIEWER");
  const token = tokenOf(link);

  expect(await findInvitation(token)).toEqual({
    organization: tenant.name,
    email: person.email,
    role: "VIEWER",
    invitedBy: "Ada",
    hasAccount: true,
  });
  expect(await accept(person, token)).toEqual({ tenantSlug: tenant.slug });
  expect(await db().membership.findMany({ where: { userId: person.id } })).toMatchObject([
    { tenantId: tenant.id, role: "VIEWER" },
  ]);

  expect(await findInvitation(token)).toBeNull();
  await expect(accept(person, token)).rejects.toThrow(over);
  expect((await auditOf(tenant.id)).slice(-2)).toEqual([
    {
      action: "invitation.created",
      actorId: owner.id,
      targetId: id,
      changes: { after: { email: person.email, role: "VIEWER" } },
    },
    {
      action: "invitation.accepted",
      actorId: person.id,
      targetId: id,
      changes: { after: { email: person.email, role: "VIEWER" } },
    },
  ]);
});

test("a person without an account creates one by accepting, for that address only", async () => {
  const { tenant, owner } = await newOrganization();
  const email = newAddress("new");
  const { link } = await invite(owner, email, "ADMIN");
  expect(await findInvitation(tokenOf(link))).toMatchObject({ hasAccount: false });

  const person = { name: "Grace", password: "correct horse battery" };
  const results = await Promise.all(
    [1, 2].map(() =>
      signUpByInvitation(tokenOf(link), person, someDevice).catch((error: Error) => error),
    ),
  );
  const [signedIn] = results.filter(
    (result) => !(result instanceof Error) && result.outcome === "signed-in",
  );
  expect(signedIn).toMatchObject({ tenantSlug: tenant.slug });
  // The other of the two was too late, however it found out.
  expect(results).toHaveLength(2);
  const { id: userId } = await db().user.findUniqueOrThrow({ where: { email } });
  // Without a mail server the link was shown to the inviting user: the address is not verified.
  expect(await db().user.findUnique({ where: { id: userId } })).toMatchObject({
    email,
    name: "Grace",
    emailVerifiedAt: null,
  });
  expect(await db().membership.findMany({ where: { userId } })).toMatchObject([
    { tenantId: tenant.id, role: "ADMIN" },
  ]);
});

test("accepting twice concurrently creates one membership and one entry", async () => {
  const { tenant, owner } = await newOrganization();
  const person = await newPerson();
  const { link } = await invite(owner, person.email);
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => accept(person, tokenOf(link))),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(
    (await auditOf(tenant.id)).filter(({ action }) => action === "invitation.accepted"),
  ).toHaveLength(1);
});

test("a member who accepts an invitation as owner keeps their role, and no one is told otherwise", async () => {
  const { tenant, owner } = await newOrganization();
  const member = await newMember(tenant.id, "VIEWER");
  const email = newAddress();
  const { link } = await invite(owner, email, "OWNER");
  await db().user.update({ where: { id: member.id }, data: { email } });
  await accept({ id: member.id, email }, tokenOf(link));

  expect(await db().membership.findFirst({ where: { userId: member.id } })).toMatchObject({
    role: "VIEWER",
  });
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "invitation.accepted",
    changes: { after: { email } },
  });
  expect((await auditOf(tenant.id)).at(-1)?.changes).not.toHaveProperty("after.role");
  const where = { recipient: owner.email, kind: "owner-added" };
  expect(await db().mail.count({ where })).toBe(0);
});

test("another signed-in user cannot join by the link", async () => {
  const { owner } = await newOrganization();
  const stranger = await newPerson();
  const { link } = await invite(owner, newAddress());
  await expect(accept(stranger, tokenOf(link))).rejects.toThrow(
    `you are signed in as ${stranger.email}`,
  );
  expect(await db().membership.count({ where: { userId: stranger.id } })).toBe(0);
});

test("a link is valid for seven days and no longer", async () => {
  const { owner } = await newOrganization();
  const person = await newPerson();
  const start = new Date("2026-03-01T08:00:00.000Z");
  setCurrentTime(() => start);
  const { link } = await invite(owner, person.email);

  setCurrentTime(() => new Date("2026-03-08T07:59:59.999Z"));
  expect(await findInvitation(tokenOf(link))).not.toBeNull();
  setCurrentTime(() => new Date("2026-03-08T08:00:00.000Z"));
  expect(await findInvitation(tokenOf(link))).toBeNull();
  await expect(accept(person, tokenOf(link))).rejects.toThrow(over);

  // It is shown as expired, and does not block another one.
  expect(await listInvitations(reader(as(owner)))).toMatchObject([
    { email: person.email, isOver: true },
  ]);
  await invite(owner, person.email);
  expect(await listInvitations(reader(as(owner)))).toMatchObject([
    { email: person.email, isOver: false },
  ]);
});

test("resending ends the previous link, and is possible after a minute", async () => {
  const { tenant, owner } = await newOrganization();
  const person = await newPerson();
  const start = Date.parse("2026-03-01T08:00:00.000Z");
  setCurrentTime(() => new Date(start));
  const { id, link: first } = await invite(owner, person.email);
  const resend = () => mutate(as(owner), (caller) => resendInvitation(caller, id));

  await expect(resend()).rejects.toThrow("less than a minute ago");
  setCurrentTime(() => new Date(start + 60_000));
  const { link: second } = await resend();

  expect(await findInvitation(tokenOf(first))).toBeNull();
  expect(await findInvitation(tokenOf(second))).not.toBeNull();
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "invitation.resent",
    targetId: id,
  });
  expect(await db().mail.count({ where: { recipient: person.email } })).toBe(2);
});

test("a revoked link opens nothing", async () => {
  const { tenant, owner } = await newOrganization();
  const person = await newPerson();
  const { id, link } = await invite(owner, person.email);
  await mutate(as(owner), (caller) => revokeInvitation(caller, id));

  expect(await findInvitation(tokenOf(link))).toBeNull();
  await expect(accept(person, tokenOf(link))).rejects.toThrow(over);
  expect(await listInvitations(reader(as(owner)))).toEqual([]);
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({ action: "invitation.revoked" });
  await expect(mutate(as(owner), (caller) => revokeInvitation(caller, id))).rejects.toThrow(
    "There is no invitation",
  );
});

test("members and invited addresses are not invited again, and no one sees another organization's", async () => {
  const { tenant, owner } = await newOrganization();
  const { owner: stranger } = await newOrganization();
  const member = await newMember(tenant.id, "VIEWER");
  const email = newAddress();
  const { id } = await invite(owner, email);

  await expect(invite(owner, member.email)).rejects.toThrow("must not be the address of a member");
  await expect(invite(owner, email)).rejects.toThrow(
    "must not be the address of an open invitation",
  );
  await invite(stranger, email);
  expect(await listInvitations(reader(as(stranger)))).toHaveLength(1);
  await expect(mutate(as(stranger), (caller) => revokeInvitation(caller, id))).rejects.toThrow(
    "There is no invitation",
  );
  await expect(mutate(as(stranger), (caller) => resendInvitation(caller, id))).rejects.toThrow(
    "There is no invitation",
  );
});

test.each([
  ["OWNER", ["OWNER", "ADMIN", "MEMBER", "VIEWER"]],
  ["ADMIN", ["ADMIN", "MEMBER", "VIEWER"]],
  ["MEMBER", []],
  ["VIEWER", []],
] satisfies [Role, Role[]][])("%s invites %j", async (role, allowed) => {
  const { tenant } = await newOrganization();
  const actor = await newMember(tenant.id, role);
  for (const given of ["OWNER", "ADMIN", "MEMBER", "VIEWER"] satisfies Role[]) {
    const invited = invite(actor, newAddress(), given);
    if ((allowed as Role[]).includes(given)) await invited;
    else await expect(invited).rejects.toThrow(RoleMissing);
  }
  expect(await db().invitation.count({ where: { tenantId: tenant.id } })).toBe(allowed.length);
});

test("the token is only in the mail", async () => {
  const { tenant, owner } = await newOrganization();
  const email = newAddress();
  const { link } = await invite(owner, email);
  const token = tokenOf(link);
  const stored = JSON.stringify([
    await db().invitation.findMany({ where: { tenantId: tenant.id } }),
    await auditOf(tenant.id),
    await db().mail.findMany({ where: { recipient: email } }),
  ]);
  expect(stored).not.toContain(token);
  const mail = await db().mail.findFirstOrThrow({ where: { recipient: email } });
  expect(openMail(mail)?.text).toContain(`/invite/${token}`);
});

const roleIn = (tenantId: string, userId: string) =>
  db().membership.count({ where: { tenantId, userId } });

test.each([
  ["removed", (admin: TestPerson) => (caller: Caller) => removeMember(caller, admin.id)],
  [
    "demoted to member",
    (admin: TestPerson) => (caller: Caller) => changeRole(caller, admin.id, "MEMBER"),
  ],
] as const)(
  "an admin who is %s cannot return through invitations they left open",
  async (_how, end) => {
    const { tenant, owner } = await newOrganization();
    const admin = await newMember(tenant.id, "ADMIN");
    const accomplice = await newPerson();
    const { id, link } = await invite(admin, accomplice.email, "ADMIN");

    await mutate(as(owner), end(admin));

    expect(await findInvitation(tokenOf(link))).toBeNull();
    await expect(accept(accomplice, tokenOf(link))).rejects.toThrow(over);
    expect(await roleIn(tenant.id, accomplice.id)).toBe(0);
    expect(await listInvitations(reader(as(owner)))).toEqual([]);
    expect(await auditOf(tenant.id)).toContainEqual({
      action: "invitation.revoked",
      actorId: owner.id,
      targetId: id,
      changes: { before: { email: accomplice.email, role: "ADMIN" } },
    });
  },
);

test("an admin who leaves takes their open invitations with them", async () => {
  const { tenant, owner } = await newOrganization();
  const admin = await newMember(tenant.id, "ADMIN");
  const { link } = await invite(admin, newAddress());
  await mutate(as(admin), (caller) => leaveOrganization(caller));
  expect(await findInvitation(tokenOf(link))).toBeNull();
  expect(await listInvitations(reader(as(owner)))).toEqual([]);
});

test("the inviter's role counts at the moment of acceptance, however it was changed", async () => {
  const { tenant } = await newOrganization();
  const second = await newMember(tenant.id, "OWNER");
  const person = await newPerson();
  const { link } = await invite(second, person.email, "OWNER");
  const where = { tenantId_userId: { tenantId: tenant.id, userId: second.id } };
  await db().membership.update({ where, data: { role: "ADMIN" } });
  await expect(accept(person, tokenOf(link))).rejects.toThrow(over);
  await db().membership.update({ where, data: { role: "OWNER" } });
  await accept(person, tokenOf(link));
  expect(await roleIn(tenant.id, person.id)).toBe(1);
});

test("the invitations of a demoted owner stay open if an admin may grant their role", async () => {
  const { tenant, owner } = await newOrganization();
  const second = await newMember(tenant.id, "OWNER");
  const [asOwner, asMember] = [
    await invite(second, newAddress(), "OWNER"),
    await invite(second, newAddress(), "MEMBER"),
  ];
  await mutate(as(owner), (caller) => changeRole(caller, second.id, "ADMIN"));
  expect(await findInvitation(tokenOf(asOwner.link))).toBeNull();
  expect(await findInvitation(tokenOf(asMember.link))).toMatchObject({ role: "MEMBER" });
});

test("the member who resends an invitation vouches for it from then on", async () => {
  const { tenant, owner } = await newOrganization();
  const admin = await newMember(tenant.id, "ADMIN");
  const person = await newPerson();
  const start = Date.now();
  setCurrentTime(() => new Date(start));
  const { id } = await invite(admin, person.email);
  setCurrentTime(() => new Date(start + 60_000));
  const { link } = await mutate(as(owner), (caller) => resendInvitation(caller, id));
  await mutate(as(owner), (caller) => removeMember(caller, admin.id));
  await accept(person, tokenOf(link));
  expect(await roleIn(tenant.id, person.id)).toBe(1);
});
