import type { Caller } from "@/lib/caller";
import type { Db } from "@/lib/db";
import { newId } from "@/lib/ids";
import { createTenant } from "@/lib/tenants/service";

/** @param email lower-cased. */
export function findUserByEmail(transaction: Db, email: string) {
  return transaction.user.findUnique({ where: { email } });
}

/** A tenant, a user, and the user as its owner. Belongs in one transaction. */
export async function createAccount(transaction: Db, account: { organisation: string; name: string; email: string; passwordHash: string }) {
  const now = new Date();
  const { name, email, passwordHash } = account;
  const user = await transaction.user.create({ data: { id: newId("user", now), email, name, passwordHash, createdAt: now } });
  const tenant = await createTenant(transaction, { name: account.organisation });
  await transaction.membership.create({ data: { tenantId: tenant.id, userId: user.id, role: "OWNER", createdAt: now } });
  return { user, tenant };
}

/** Names to show beside what these people made, former members of the caller's tenant included; unknown ids are left out. */
export async function userNames(caller: Caller, ids: string[]): Promise<Map<string, string>> {
  const users = await caller.db.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(users.map(({ id, name }) => [id, name]));
}

/** A tenant has tens of members; a list to choose from beyond this many would be no help. */
const mostMembers = 500;

/** Everybody of the caller's tenant, by name: those whom something can be assigned to. */
export async function listMemberNames({ db, partition }: Caller): Promise<{ id: string; name: string }[]> {
  const where = { memberships: { some: { tenantId: partition.tenantId } } };
  return db.user.findMany({ where, select: { id: true, name: true }, orderBy: [{ name: "asc" }, { id: "asc" }], take: mostMembers });
}
