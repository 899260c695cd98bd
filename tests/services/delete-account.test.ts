import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { hashPassword } from "@/lib/auth/password";
import { signIn } from "@/lib/auth/service";
import { openMail } from "@/lib/mail/service";
import { acceptInvitation } from "@/lib/members/accept-invitation";
import { deleteAccount } from "@/lib/members/delete-account";
import { createInvitation } from "@/lib/members/invitations";
import { mutate } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool } from "@/lib/platform/db";
import { ProofNeeded, proofLifetimeMs } from "@/lib/step-up/proof";
import { createOrganization, createTenant } from "@/lib/tenants/service";
import {
  as,
  auditOf,
  moveAway,
  newAddress,
  newMember,
  newOrganization,
  newSession,
  someDevice,
  type TestPerson,
} from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

const password = "correct horse battery";
const passwordHash = await hashPassword(password);

const deleteUser = async ({ id }: { id: string }) =>
  deleteAccount({ id, sessionId: (await newSession(id)).id }, someDevice);

test("the only owner cannot delete their account, and sees which organizations need another one", async () => {
  const { tenant, owner } = await newOrganization();
  await newMember(tenant.id, "ADMIN");
  await expect(deleteUser(owner)).rejects.toThrow(`You are the only owner of: ${tenant.name}.`);
  const suspended = await newMember(tenant.id, "OWNER");
  await db().membership.updateMany({
    where: { tenantId: tenant.id, userId: suspended.id },
    data: { suspendedAt: new Date() },
  });
  await expect(deleteUser(owner)).rejects.toThrow(tenant.name);
  expect(await db().user.count({ where: { id: owner.id } })).toBe(1);
});

test("an organization that moved to another installation needs no other owner here, and does not count as owned", async () => {
  const { tenant, owner } = await newOrganization();
  for (let owned = 1; owned < 20; owned++)
    await db().membership.create({
      data: {
        tenantId: (await createTenant(db(), { name: "Owned" })).id,
        ...{ userId: owner.id, role: "OWNER", createdAt: new Date() },
      },
    });
  const create = () => createOrganization({ id: owner.id, address: null }, "One more");
  await expect(create()).rejects.toThrow("the limit of 20 organizations");
  await moveAway(tenant.id);
  await create();
  await expect(deleteUser(owner)).rejects.toThrow(
    /^conflict: You are the only owner of: (Owned, ){19}One more\./,
  );

  const memberships = await db().membership.findMany({ where: { userId: owner.id } });
  for (const { tenantId } of memberships) await moveAway(tenantId);
  await deleteUser(owner);
  expect(await db().user.count({ where: { id: owner.id } })).toBe(0);
});

test("a deleted account can no longer sign in, and its entries stay in the audit log", async () => {
  const { tenant, owner } = await newOrganization(passwordHash);
  const other = await newMember(tenant.id, "OWNER");
  await mutate(as(owner), (caller) =>
    createInvitation(caller, { email: newAddress(), role: "VIEWER" }),
  );

  await deleteUser(owner);

  expect(await signIn({ email: owner.email, password }, someDevice)).toEqual({ outcome: "failed" });
  const where = { userId: owner.id };
  expect(await db().session.count({ where })).toBe(0);
  expect(await db().membership.findMany({ where: { tenantId: tenant.id } })).toMatchObject([
    { userId: other.id },
  ]);
  expect(await db().invitation.count({ where: { tenantId: tenant.id, revokedAt: null } })).toBe(0);
  expect((await auditOf(tenant.id)).slice(-2)).toMatchObject([
    { action: "user.deleted", actorId: owner.id, targetId: owner.id },
    { action: "invitation.revoked", actorId: owner.id },
  ]);
  const entry = await db().auditEntry.findFirstOrThrow({
    where: { tenantId: tenant.id, action: "user.deleted" },
  });
  expect(entry.actorName).toBe("Ada");
  const mail = await db().mail.findFirstOrThrow({
    where: { recipient: owner.email, kind: "account-deleted" },
  });
  expect(openMail(mail)?.text).toContain("your Parlance account was deleted");
});

test("two owners who delete their accounts concurrently leave one of them", async () => {
  const { tenant, owner } = await newOrganization();
  const other = await newMember(tenant.id, "OWNER");
  const results = await Promise.allSettled([deleteUser(owner), deleteUser(other)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await db().membership.count({ where: { tenantId: tenant.id, role: "OWNER" } })).toBe(1);
});

test.each([
  ["created", async (owner: TestPerson) => createOrganization({ ...owner, address: null }, "New")],
  [
    "joined as its owner",
    async (owner: TestPerson) => {
      const { owner: inviter } = await newOrganization();
      const { link } = await mutate(as(inviter), (caller) =>
        createInvitation(caller, { email: owner.email, role: "OWNER" }),
      );
      return acceptInvitation({ ...owner, address: null }, link?.split("/").at(-1) ?? "");
    },
  ],
])(
  "an organization that is %s while the account is deleted never has a member without an account",
  async (_how, join) => {
    const { tenant, owner } = await newOrganization();
    await newMember(tenant.id, "OWNER");
    // Holds the deletion back after it has read the memberships.
    const other = await pool().connect();
    try {
      await other.query("BEGIN");
      await other.query("SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE", [tenant.id]);
      const deleting = deleteUser(owner).then(() => "deleted", String);
      while (!(await isWaiting("tenants"))) await setImmediate();
      let isDone = false;
      const joining = join(owner).then(() => "joined", String);
      void joining.then(() => {
        isDone = true;
      });
      while (!isDone && !(await isWaiting("users"))) await setImmediate();
      await other.query("COMMIT");
      expect(await joining).toContain("Your account was deleted.");
      expect(await deleting).toBe("deleted");
    } finally {
      other.release();
    }
  },
);

async function isWaiting(table: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1",
    [`%FROM ${table}%FOR NO KEY UPDATE`],
  );
  return rowCount !== 0;
}

test("a stolen session cannot delete the account", async () => {
  const { tenant } = await newOrganization();
  const member = await newMember(tenant.id, "MEMBER");
  const { id: sessionId } = await newSession(member.id);
  const stale = new Date(Date.now() - proofLifetimeMs - 1_000);
  await db().session.update({ where: { id: sessionId }, data: { provedAt: stale } });
  await expect(deleteAccount({ id: member.id, sessionId }, someDevice)).rejects.toThrow(
    ProofNeeded,
  );
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "user.confirmation_required",
    changes: { after: { attempt: "delete your account", missing: "proof" } },
  });
});
