import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createApiKey } from "@/lib/api-keys/service";
import { createInvitation } from "@/lib/members/invitations";
import {
  changeRole,
  endMemberSessions,
  leaveOrganization,
  listMembers,
  removeMember,
} from "@/lib/members/service";
import { type Caller, mutate, reader, withDatabase } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { RoleMissing } from "@/lib/platform/roles";
import { lockAccount } from "@/lib/resources/lock-row";
import { addSampleData, removeSampleData } from "@/lib/sample-data/service";
import { findLiveSession } from "@/lib/sessions/service";
import { ProofNeeded } from "@/lib/step-up/proof";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { renameTenant } from "@/lib/tenants/service";
import { requestWipe } from "@/lib/test-data/service";
import { createWebhook } from "@/lib/webhooks/service";
import type { Role } from "@/prisma/generated/enums";
import { hasWaiting } from "../support/locks";
import { as, auditOf, newAddress, newMember, newOrganization, newSession } from "../support/people";

const roleOf = async (tenantId: string, userId: string) =>
  (await db().membership.findUnique({ where: { tenantId_userId: { tenantId, userId } } }))?.role ??
  null;

const roles: Role[] = ["OWNER", "ADMIN", "MEMBER", "VIEWER"];
/** Which roles may change which role into which. */
const mayTurn: [from: Role, into: Role, by: Role[]][] = roles.flatMap((from) =>
  roles
    .filter((into) => into !== from)
    .map((into): [Role, Role, Role[]] => {
      const isForOwners = from === "OWNER" || from === "ADMIN" || into === "OWNER";
      return [from, into, isForOwners ? ["OWNER"] : ["OWNER", "ADMIN"]];
    }),
);

test.each(mayTurn)("%s becomes %s by %s alone", async (from, into, by) => {
  const { tenant, owner } = await newOrganization();
  const actors = [
    owner,
    ...(await Promise.all(
      (["ADMIN", "MEMBER", "VIEWER"] as const).map((role) => newMember(tenant.id, role)),
    )),
  ];
  for (const actor of actors) {
    const target = await newMember(tenant.id, from);
    const change = mutate(as(actor), (caller) => changeRole(caller, target.id, into));
    if (by.includes(actor.role)) await change;
    else await expect(change).rejects.toThrow(RoleMissing);
    expect(await roleOf(tenant.id, target.id)).toBe(by.includes(actor.role) ? into : from);
  }
});

test("roles are changed with a fresh proof only", async () => {
  const { tenant, owner } = await newOrganization();
  const member = await newMember(tenant.id, "MEMBER");
  const identity = as(owner);
  const stale = {
    ...identity,
    actor: { ...identity.actor, provedAt: new Date(Date.now() - 11 * 60_000) },
  };
  await expect(mutate(stale, (caller) => changeRole(caller, member.id, "ADMIN"))).rejects.toThrow(
    ProofNeeded,
  );
  expect(await roleOf(tenant.id, member.id)).toBe("MEMBER");
});

test("the last owner can neither be demoted, nor removed, nor leave", async () => {
  const { tenant, owner } = await newOrganization();
  const { owner: stranger } = await newOrganization();
  const works = [
    () => mutate(as(owner), (caller) => changeRole(caller, owner.id, "ADMIN")),
    () => mutate(as(owner), (caller) => removeMember(caller, owner.id)),
    () => mutate(as(owner), (caller) => leaveOrganization(caller)),
  ];
  for (const work of works)
    await expect(work()).rejects.toThrow("An organization must have at least one owner.");
  expect(await roleOf(tenant.id, owner.id)).toBe("OWNER");

  // With a second owner, all of it is possible.
  await newMember(tenant.id, "OWNER");
  await works[2]?.();
  expect(await roleOf(tenant.id, owner.id)).toBeNull();
  expect(await roleOf(stranger.tenantId, stranger.id)).toBe("OWNER");
});

test("two owners who demote each other concurrently leave one owner", async () => {
  const { tenant, owner } = await newOrganization();
  const second = await newMember(tenant.id, "OWNER");
  const results = await Promise.allSettled([
    mutate(as(owner), (caller) => changeRole(caller, second.id, "VIEWER")),
    mutate(as(second), (caller) => changeRole(caller, owner.id, "VIEWER")),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await db().membership.count({ where: { tenantId: tenant.id, role: "OWNER" } })).toBe(1);
});

describe("a request is refused if, while it waits for another change, its user", () => {
  const isWaiting = () => hasWaiting(pool(), "%FROM tenants%FOR NO KEY UPDATE");

  type Change = (caller: Caller, userId: string) => Promise<void>;
  const changes: [what: string, sentence: string, change: Change][] = [
    [
      "is demoted",
      "Your role in this organization has changed. Reload the page and try again.",
      (caller, userId) => changeRole(caller, userId, "VIEWER"),
    ],
    ["is removed", "You are no longer a member of this organization.", removeMember],
    ["is signed out", "Your session has ended. Sign in again.", endMemberSessions],
  ];

  type Request = (caller: Caller, own: { userId: string; slug: string }) => Promise<unknown>;
  const inTest = (caller: Caller): Caller => ({
    ...caller,
    partition: { ...caller.partition, environment: "test" },
  });
  const requests: [what: string, request: Request][] = [
    ["change of the own role", (caller, { userId }) => changeRole(caller, userId, "OWNER")],
    ["deletion of the organization", (caller, { slug }) => deleteOrganization(caller, slug)],
    ["live key", (caller) => createApiKey(caller, { name: "key", scopes: ["read:usage"] })],
    [
      "live webhook",
      (caller) =>
        createWebhook(caller, { url: "https://example.com", events: ["*"], metadata: {} }),
    ],
    ["invitation", (caller) => createInvitation(caller, { email: newAddress(), role: "ADMIN" })],
    ["new name of the organization", (caller) => renameTenant(caller, "Another name")],
    ["wipe of the test data", (caller, { slug }) => requestWipe(caller, slug)],
    ["addition of sample data", (caller) => addSampleData(inTest(caller), [])],
    ["removal of sample data", (caller) => removeSampleData(inTest(caller))],
  ];

  describe.each(changes)("%s", (_what, sentence, change) => {
    test.each(requests)("%s", async (_request, work) => {
      const { tenant, owner } = await newOrganization();
      const second = await newMember(tenant.id, "OWNER");
      const { id: sessionId } = await newSession(second.id);
      const identity = as(second, "live");
      const signedIn = { ...identity, actor: { ...identity.actor, sessionId } };

      let outcome: Promise<unknown> | undefined;
      await db().$transaction(async (transaction) => {
        await lockAccount({ db: transaction }, { tenantId: tenant.id });
        outcome = mutate(signedIn, (caller) =>
          work(caller, { userId: second.id, slug: tenant.slug }),
        ).catch((error: unknown) => error);
        while (!(await isWaiting())) await setImmediate();
        await change(withDatabase(as(owner), transaction), second.id);
      });

      expect(await outcome).toMatchObject({ name: "AppError", detail: sentence });
      // The change is the last entry.
      expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
        actorId: owner.id,
        targetId: second.id,
      });
    });
  });
});

test("removing a member ends all of their sessions immediately, and is audited", async () => {
  const { tenant, owner } = await newOrganization();
  const member = await newMember(tenant.id, "MEMBER");
  const [laptop, phone, owners] = await Promise.all([
    newSession(member.id),
    newSession(member.id),
    newSession(owner.id),
  ]);

  await mutate(as(owner), (caller) => removeMember(caller, member.id));

  expect(await roleOf(tenant.id, member.id)).toBeNull();
  expect(await findLiveSession(laptop.id)).toBeNull();
  expect(await findLiveSession(phone.id)).toBeNull();
  expect(await findLiveSession(owners.id)).not.toBeNull();
  expect((await auditOf(tenant.id)).at(-1)).toEqual({
    action: "member.removed",
    actorId: owner.id,
    targetId: member.id,
    changes: { before: { role: "MEMBER" } },
  });
});

test("an admin ends all sessions of a member, who keeps the role and can sign in again", async () => {
  const { tenant, owner } = await newOrganization();
  const [admin, member] = [
    await newMember(tenant.id, "ADMIN"),
    await newMember(tenant.id, "MEMBER"),
  ];
  const [laptop, phone, own] = await Promise.all([
    newSession(member.id),
    newSession(member.id),
    newSession(admin.id),
  ]);

  await mutate(as(admin), (caller) => endMemberSessions(caller, member.id));

  for (const { id } of [laptop, phone]) expect(await findLiveSession(id)).toBeNull();
  expect(await findLiveSession(own.id)).not.toBeNull();
  expect(await findLiveSession((await newSession(member.id)).id)).toMatchObject({
    memberships: [{ role: "MEMBER" }],
  });
  expect((await auditOf(tenant.id)).at(-1)).toEqual({
    action: "member.sessions_ended",
    actorId: admin.id,
    targetId: member.id,
    changes: { before: { sessions: 2 } },
  });
  // Owners and admins are out of an admin's reach.
  for (const { id } of [owner, await newMember(tenant.id, "ADMIN")]) {
    await expect(mutate(as(admin), (caller) => endMemberSessions(caller, id))).rejects.toThrow(
      RoleMissing,
    );
  }
});

test.each(["ADMIN", "MEMBER", "VIEWER"] as const)(
  "a %s who removes owners or admins is refused",
  async (role) => {
    const { tenant, owner } = await newOrganization();
    const [actor, admin] = await Promise.all([
      newMember(tenant.id, role),
      newMember(tenant.id, "ADMIN"),
    ]);
    for (const target of [owner, admin]) {
      await expect(mutate(as(actor), (caller) => removeMember(caller, target.id))).rejects.toThrow(
        RoleMissing,
      );
    }
    expect(await db().membership.count({ where: { tenantId: tenant.id } })).toBe(3);
  },
);

test("a user who leaves keeps other organizations and the session", async () => {
  const { tenant, owner } = await newOrganization();
  const { tenant: other } = await newOrganization();
  const member = await newMember(tenant.id, "MEMBER");
  await db().membership.create({
    data: { tenantId: other.id, userId: member.id, role: "VIEWER", createdAt: new Date() },
  });
  const { id } = await newSession(member.id);

  await mutate(as(member), (caller) => leaveOrganization(caller));

  expect((await findLiveSession(id))?.memberships).toMatchObject([
    { role: "VIEWER", tenant: { id: other.id } },
  ]);
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "member.left",
    actorId: member.id,
  });
  expect(await roleOf(tenant.id, owner.id)).toBe("OWNER");
});

test("a member of another organization is the same as a missing one", async () => {
  const { owner } = await newOrganization();
  const { owner: stranger } = await newOrganization();
  for (const id of [stranger.id, "usr_00000000000000000000000000"]) {
    await expect(mutate(as(owner), (caller) => changeRole(caller, id, "VIEWER"))).rejects.toThrow(
      `There is no member with the id "${id}".`,
    );
    await expect(mutate(as(owner), (caller) => removeMember(caller, id))).rejects.toThrow(
      `There is no member with the id "${id}".`,
    );
  }
});

test("members are paginated, without those of other organizations", async () => {
  const { tenant, owner } = await newOrganization();
  await newOrganization();
  const members = [];
  for (let count = 0; count < 4; count++) members.push(await newMember(tenant.id, "MEMBER"));

  const first = await listMembers(reader(as(owner)), { limit: 3, order: "asc" });
  const second = await listMembers(reader(as(owner)), {
    limit: 3,
    order: "asc",
    cursor: first.nextCursor,
  });
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([
    owner.id,
    ...members.map(({ id }) => id),
  ]);
  expect(second.nextCursor).toBeUndefined();
  expect(JSON.stringify([first, second])).not.toContain("passwordHash");
});
