import type { AuditAction } from "@/lib/audit/actions";
import { type AuditRecord, recordAudit } from "@/lib/audit/service";
import { type Caller, type Identity, withDatabase } from "@/lib/platform/caller";
import { type Db, db } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { lockRefusingTenants } from "@/lib/platform/moving-tenants";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { lockAccount } from "@/lib/resources/lock-row";
import { createOwnedTenant } from "@/lib/tenants/service";

/** @param email lower-cased. */
export function findUserByEmail(transaction: Db, email: string) {
  return transaction.user.findUnique({ where: { email } });
}

/** Creates a tenant, a user, and the user's membership as owner. Call it in a transaction. */
export async function createAccount(
  transaction: Db,
  {
    organization,
    address = null,
    ...person
  }: NewUser & { organization: string; address?: string | null },
) {
  const user = await createUser(transaction, person);
  const tenant = await createOwnedTenant(transaction, { id: user.id, address }, organization);
  return { user, tenant };
}

/** The same without a password: the owner sets one with a link. */
export async function createOwner(
  transaction: Db,
  { organization, ...person }: { organization: string; name: string; email: string },
) {
  const user = await createUser(transaction, { ...person, passwordHash: null });
  const tenant = await createOwnedTenant(transaction, { id: user.id, address: null }, organization);
  return { user, tenant };
}

export async function hasAnyOwner(): Promise<boolean> {
  return (
    (await db().membership.findFirst({ where: { role: "OWNER" }, select: { userId: true } })) !==
    null
  );
}

type NewUser = {
  name: string;
  email: string;
  passwordHash: string | null;
  emailVerifiedAt?: Date | null;
};

/**
 * @param person with a lower-cased address
 * @throws AddressReserved
 */
export async function createUser(
  transaction: Db,
  { name, email, passwordHash, emailVerifiedAt = null }: NewUser,
) {
  const createdAt = new Date();
  const id = newId("user", createdAt);
  const data = { id, email, name, passwordHash, emailVerifiedAt, createdAt };
  const user = await transaction.user.create({ data });
  // Afterwards, because the line above may have waited for the change that reserves the address.
  if (await isReserved(transaction, email)) throw new AddressReserved();
  return user;
}

/** The address was another user's until a few days ago. */
export class AddressReserved extends AppError {
  constructor() {
    super(
      "conflict",
      "The account with this address got another one a few days ago, which can still be reversed. Sign in with the new address, or use the link in the mail about the change.",
    );
  }
}

/** What is true of a change of address that its link can reverse. */
export const reversible = () => ({ undoneAt: null, undoUntil: { gt: now() } });

/** Until when an earlier address can take the account back, or null. */
export async function reversibleUntil(transaction: Db, userId: string): Promise<Date | null> {
  const latest = await transaction.emailChange.findFirst({
    where: { userId, ...reversible() },
    orderBy: { undoUntil: "desc" },
    select: { undoUntil: true },
  });
  return latest?.undoUntil ?? null;
}

/**
 * The address stays reserved for a while after the link expired, so that no one else can get it
 * while the link is being used, also on a machine with a slower clock.
 */
const reservedAfterwardsMs = 10 * 60_000;

/**
 * Whether the address was a user's until a few days ago. No one else gets it while the change can be
 * reversed; otherwise, the one who made it could keep the address from its owner.
 * @param forUserId the user who may have it
 */
export async function isReserved(
  transaction: Db,
  email: string,
  forUserId?: string,
): Promise<boolean> {
  const undoUntil = { gt: new Date(now().getTime() - reservedAfterwardsMs) };
  const byOthers = forUserId && { userId: { not: forUserId } };
  const where = { from: email, undoneAt: null, undoUntil, ...byOthers };
  const select = { userId: true };
  return (await transaction.emailChange.findFirst({ where, select })) !== null;
}

/**
 * What a user can also do during the seconds in which an organization of theirs is moved, because it
 * must not keep them out of the others. That organization's log gets no entry. Other changes wait:
 * the target would have the earlier password or second factor.
 */
const possibleDuringMove: AuditAction[] = [
  "user.signed_in",
  "user.sign_in_failed",
  "user.signed_out",
  "user.session_revoked",
  "user.second_factor_refused",
  "user.proof_refused",
  "user.throttled",
];

/**
 * Writes an entry to the audit log of each of the user's organizations, in the transaction of the
 * change. The actor is the user, or the system if a stranger named their account.
 * @throws AppError `unavailable` while an organization is moved, if its log must have the entry
 */
export async function recordAuditOfUser(
  transaction: Db,
  userId: string,
  address: string | null,
  record: Omit<AuditRecord, "targetId">,
  by: "user" | "stranger" = "user",
): Promise<void> {
  // Always in the same order, because each entry takes the lock of its organization's log.
  const memberships = await transaction.membership.findMany({
    // The log of an organization that moved away is in the other installation.
    where: { userId, tenant: { movedTo: null } },
    orderBy: { tenantId: "asc" },
    include: { tenant: { select: { name: true } } },
  });
  const ids = memberships.map(({ tenantId }) => tenantId);
  const refusing = await lockRefusingTenants({ db: transaction }, ids);
  for (const { tenantId, tenant, role } of memberships) {
    if (refusing.includes(tenantId)) {
      if (possibleDuringMove.includes(record.action)) continue;
      throw new AppError(
        "unavailable",
        `The organization ${tenant.name} is being moved to another installation. Try again in a minute.`,
      );
    }
    const identity: Identity = {
      partition: { tenantId, environment: "test" },
      actor: by === "user" ? { type: "USER", id: userId, role } : { type: "SYSTEM", id: "system" },
      request: null,
      address,
    };
    await recordAudit(withDatabase(identity, transaction), { ...record, targetId: userId });
  }
}

/** Renames the signed-in user, with an entry in the audit log of each of their organizations. */
export async function renameUser({ db, actor, address }: Caller, name: string): Promise<void> {
  await lockAccount({ db }, { userId: actor.id });
  const before = await db.user.findUniqueOrThrow({ where: { id: actor.id } });
  if (before.name === name) return;
  await recordAuditOfUser(db, actor.id, address, {
    action: "user.renamed",
    changes: { before: { name: before.name }, after: { name } },
  });
  await db.user.update({ where: { id: actor.id }, data: { name } });
}

/**
 * Names of users by id, including former members of the caller's tenant. Unknown ids are left out.
 */
export async function userNames(caller: Caller, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const users = await caller.db.user.findMany({
    where: { id: { in: ids } },
    select: { id: true, name: true },
  });
  return new Map(users.map(({ id, name }) => [id, name]));
}

/** A tenant has tens of members. A longer list would be of no use for choosing one. */
const mostMembers = 500;

/** All members of the caller's tenant by name: the possible assignees. */
export async function listMemberNames({
  db,
  partition,
}: Caller): Promise<{ id: string; name: string }[]> {
  const where = { memberships: { some: { tenantId: partition.tenantId, suspendedAt: null } } };
  return db.user.findMany({
    where,
    select: { id: true, name: true },
    orderBy: [{ name: "asc" }, { id: "asc" }],
    take: mostMembers,
  });
}

/** The same with their addresses: those whom a text can mention. */
export async function listMentionable({
  db,
  partition,
}: Caller): Promise<{ id: string; name: string; email: string }[]> {
  const where = { memberships: { some: { tenantId: partition.tenantId, suspendedAt: null } } };
  return db.user.findMany({
    where,
    select: { id: true, name: true, email: true },
    orderBy: [{ name: "asc" }, { id: "asc" }],
    take: mostMembers,
  });
}
