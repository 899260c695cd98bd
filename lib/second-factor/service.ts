import type { SecondFactorChange } from "@/lib/mail/mail-kinds";
import { queueMail } from "@/lib/mail/service";
import { type Db, db } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { now } from "@/lib/platform/time";
import { lockAccount } from "@/lib/resources/lock-row";
import { deviceName } from "@/lib/sessions/device-name";
import {
  type Device,
  revokeOtherSessions,
  revokeSessions,
  type SignedInUser,
} from "@/lib/sessions/service";
import { changeAccount } from "@/lib/step-up/change-account";
import { findUserByEmail, recordAuditOfUser } from "@/lib/users/service";
import { countRecoveryCodes, renewRecoveryCodes } from "./recovery-codes";

// A second factor is a passkey or an authenticator app. A user with one signs in with the passkey
// alone, or with a password or provider and a code. A recovery code replaces either, once.

type Owner = Pick<SignedInUser, "id" | "sessionId" | "name" | "email">;
type How = { device: Device; at: Date; change: SecondFactorChange; details?: { name: string } };

/**
 * Call it in the transaction that adds a factor. The first one ends every other session, because
 * they were started without it.
 * @returns the recovery codes if it is the first one
 */
export async function addFactor(transaction: Db, user: Owner, how: How): Promise<string[] | null> {
  const { count } = await transaction.user.updateMany({
    where: { id: user.id, secondFactorAt: null },
    data: { secondFactorAt: how.at },
  });
  await announce(transaction, user, how);
  if (count === 0) return null;
  await revokeOtherSessions(transaction, user.id, user.sessionId, how.at);
  return renewRecoveryCodes(transaction, user.id);
}

/**
 * Call it in the transaction that removed a factor. Without the last one, recovery codes are
 * useless and go too.
 * @throws AppError `conflict` if it was the last one and an organization requires one
 */
export async function removeFactor(transaction: Db, user: Owner, how: How): Promise<void> {
  const { hasPasskey, hasAuthenticatorApp } = await factorsOf(transaction, user.id);
  if (!hasPasskey && !hasAuthenticatorApp) {
    await requireNoneNeeded(transaction, user.id);
    await transaction.recoveryCode.deleteMany({ where: { userId: user.id } });
    await transaction.user.update({ where: { id: user.id }, data: { secondFactorAt: null } });
  }
  await announce(transaction, user, how);
}

async function requireNoneNeeded(transaction: Db, userId: string): Promise<void> {
  const requiring = await transaction.membership.findMany({
    where: { userId, suspendedAt: null, tenant: { movedTo: null, requiresSecondFactor: true } },
    select: { tenant: { select: { name: true } } },
    orderBy: { tenantId: "asc" },
  });
  if (requiring.length === 0) return;
  const names = requiring.map(({ tenant }) => tenant.name).join(", ");
  throw new AppError(
    "conflict",
    `You need a second factor, because these organizations require one: ${names}. Add another one before you remove this one, or leave these organizations.`,
  );
}

/**
 * Removes every factor of a user: because an operator knows who they are, or because someone other
 * than the owner of the account's address may have added them.
 */
export async function dropSecondFactor(
  transaction: Db,
  userId: string,
  { device, at, change }: How,
): Promise<boolean> {
  const user = await transaction.user.findUniqueOrThrow({ where: { id: userId } });
  const where = { userId };
  await transaction.passkey.deleteMany({ where });
  await transaction.authenticatorApp.deleteMany({ where });
  await transaction.recoveryCode.deleteMany({ where });
  if (!user.secondFactorAt) return false;
  await transaction.user.update({ where: { id: userId }, data: { secondFactorAt: null } });
  await announce(transaction, user, { device, at, change });
  return true;
}

/**
 * For operators, after they have verified who is asking. Also ends every session.
 * @returns whether there was one; null for an unknown address
 */
export async function removeSecondFactor(email: string): Promise<boolean | null> {
  return db().$transaction(async (transaction) => {
    await lockAccount({ db: transaction }, { email });
    const user = await findUserByEmail(transaction, email);
    if (!user) return null;
    const at = now();
    const how = { device: { address: null, userAgent: null }, at } as const;
    const change = "removed by an operator";
    const isRemoved = await dropSecondFactor(transaction, user.id, { ...how, change });
    // Last, so that it finds the session of a passkey that was just used.
    await revokeSessions(transaction, user.id, at);
    return isRemoved;
  });
}

/** @returns the new codes; the earlier ones no longer work */
export function replaceRecoveryCodes(user: SignedInUser, device: Device): Promise<string[]> {
  return changeAccount(user, device, "replace the recovery codes", async (transaction, at) => {
    const { hasPasskey, hasAuthenticatorApp } = await factorsOf(transaction, user.id);
    if (!hasPasskey && !hasAuthenticatorApp)
      throw new AppError("conflict", "Add a passkey or an authenticator app first.");
    const codes = await renewRecoveryCodes(transaction, user.id);
    await announce(transaction, user, { device, at, change: "recovery codes replaced" });
    return codes;
  });
}

async function factorsOf(transaction: Db, userId: string) {
  const found = await transaction.user.findUnique({
    where: { id: userId },
    select: {
      authenticatorApp: { select: { confirmedAt: true } },
      passkeys: { select: { id: true }, take: 1 },
    },
  });
  return {
    hasPasskey: (found?.passkeys.length ?? 0) > 0,
    hasAuthenticatorApp: Boolean(found?.authenticatorApp?.confirmedAt),
  };
}

/** Whether the user has each kind of factor. */
export const findFactors = ({ id }: Pick<SignedInUser, "id">) => factorsOf(db(), id);

/** What the profile shows. */
export async function describeSecondFactor({ id: userId }: Pick<SignedInUser, "id">) {
  const [passkeys, app, recoveryCodes] = await Promise.all([
    db().passkey.findMany({
      where: { userId },
      orderBy: { createdAt: "asc" },
      select: { id: true, name: true, createdAt: true, lastUsedAt: true },
    }),
    db().authenticatorApp.findUnique({ where: { userId }, select: { confirmedAt: true } }),
    countRecoveryCodes(db(), userId),
  ]);
  return { passkeys, authenticatorAppAt: app?.confirmedAt ?? null, recoveryCodes };
}

/** The account's address was never confirmed, so a stranger may have added the factors. */
export const lostToOwner = "removed by a new owner of the address" satisfies SecondFactorChange;

async function announce(
  transaction: Db,
  user: Pick<Owner, "id" | "name" | "email">,
  { device, at, change, details }: How,
): Promise<void> {
  const { address, userAgent } = device;
  await recordAuditOfUser(
    transaction,
    user.id,
    address,
    {
      action: "user.second_factor_changed",
      changes: { after: { change, ...details } },
    },
    change.startsWith("removed by") ? "stranger" : "user",
  );
  await queueMail(transaction, user.email, {
    kind: "second-factor-changed",
    name: user.name,
    change,
    ...{ device: deviceName(userAgent), address, at },
  });
}
