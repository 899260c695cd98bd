import { suspendAccessMadeBy } from "@/lib/access-review/suspend-access";
import { verifyAddress } from "@/lib/access-review/verify-address";
import { requireDailyMailLimit } from "@/lib/mail/daily-limits";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMail } from "@/lib/mail/service";
import { type Db, db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/errors";
import { hashToken, newToken } from "@/lib/platform/link-token";
import { isUniqueViolation } from "@/lib/platform/sql-errors";
import { now } from "@/lib/platform/time";
import { lockAccount } from "@/lib/resources/lock-row";
import { dropSecondFactor, lostToOwner } from "@/lib/second-factor/service";
import { deviceName } from "@/lib/sessions/device-name";
import {
  type Device,
  revokeOtherSessions,
  revokeSessions,
  type SignedInUser,
} from "@/lib/sessions/service";
import { changeAccount } from "@/lib/step-up/change-account";
import {
  AddressReserved,
  findUserByEmail,
  isReserved,
  recordAuditOfUser,
  reversible,
} from "@/lib/users/service";

// A user proves the new address with a link that only the signed-in user can open. The old address
// gets a link that reverses the change, in case a thief of a session made it.

const confirmMs = 24 * 60 * 60_000;
export const undoDays = 7;
const undoMs = undoDays * 24 * 60 * 60_000;
/** A thief may add their own passkey before they change the address. */
const suspectMs = 7 * 24 * 60 * 60_000;

const originOf = ({ userAgent, address }: Device, at: Date) => ({
  device: deviceName(userAgent),
  address,
  at,
});

/**
 * Mails the new address a link that makes it the user's. Whether it belongs to someone else is
 * revealed only to its owner. An earlier link is no longer valid.
 * @param email lower-cased
 */
export function requestEmailChange(
  user: Pick<SignedInUser, "id" | "sessionId">,
  email: string,
  device: Device,
): Promise<void> {
  const how = { needsVerifiedAddress: false };
  return changeAccount(user, device, "change your email address", request, how);

  async function request(transaction: Db, at: Date): Promise<void> {
    if (mailTransport() === "none")
      throw new AppError(
        "conflict",
        "This installation sends no mail, so a new address cannot be confirmed. Ask its operator to set up mail.",
      );
    const { name, email: from } = await transaction.user.findUniqueOrThrow({
      where: { id: user.id },
    });
    if (email === from) throw new AppError("conflict", "This is already your email address.");
    const kind = "confirm-new-email";
    await requireDailyMailLimit(transaction, { kind, recipient: email, senderId: user.id });

    const { token, hash } = newToken();
    const expiresAt = new Date(at.getTime() + confirmMs);
    await transaction.emailChange.deleteMany({ where: { userId: user.id, confirmedAt: null } });
    await transaction.emailChange.create({
      data: { tokenHash: hash, userId: user.id, from, to: email, requestedAt: at, expiresAt },
    });
    await recordAuditOfUser(transaction, user.id, device.address, {
      action: "user.email_change_requested",
      changes: { before: { email: from }, after: { email } },
    });
    const isTaken =
      (await findUserByEmail(transaction, email)) !== null ||
      (await isReserved(transaction, email, user.id));
    const url = isTaken ? null : `${env().APP_URL}/verify/new/${token}`;
    await queueMail(
      transaction,
      email,
      { kind, url, expiresAt },
      { usableUntil: expiresAt, senderId: user.id },
    );
    const about = { name, newEmail: email, ...originOf(device, at) };
    await queueMail(transaction, from, { kind: "email-change-requested", ...about });
  }
}

const open = () => ({ confirmedAt: null, expiresAt: { gt: now() } });

/** The change that the user has requested and not confirmed yet. */
export function findRequestedChange({ id }: Pick<SignedInUser, "id">) {
  return db().emailChange.findFirst({ where: { userId: id, ...open() } });
}

/** The change that the link confirms; null if it is no longer valid. */
export function findEmailChange(token: string) {
  return db().emailChange.findUnique({ where: { tokenHash: hashToken(token), ...open() } });
}

/**
 * Makes the new address the user's: ends every other session and password link, and mails both
 * addresses. Only the user who requested it can confirm it, so that a stranger's link does not give
 * them the address of the person who opens it.
 * @returns false if the link is no longer valid, or another user's
 */
export async function confirmEmailChange(
  user: Pick<SignedInUser, "id" | "sessionId">,
  token: string,
  device: Device,
): Promise<boolean> {
  try {
    return await db().$transaction((transaction) => confirm(transaction, user, token, device));
  } catch (error) {
    // Another account got the address after the link was sent.
    if (isUniqueViolation(error) || error instanceof AddressReserved) return false;
    throw error;
  }
}

async function confirm(
  transaction: Db,
  { id: userId, sessionId }: Pick<SignedInUser, "id" | "sessionId">,
  token: string,
  device: Device,
): Promise<boolean> {
  await lockAccount({ db: transaction }, { userId });
  const at = now();
  const tokenHash = hashToken(token);
  const change = await transaction.emailChange.findUnique({ where: { tokenHash, ...open() } });
  const user = await transaction.user.findUnique({ where: { id: userId } });
  if (!user || change?.userId !== userId || change.from !== user.email) return false;

  // If the old address was never confirmed, it may belong to someone else, so it gets no link.
  const undo = user.emailVerifiedAt ? newToken() : null;
  const undoUntil = undo && new Date(at.getTime() + undoMs);
  await transaction.emailChange.update({
    where: { tokenHash },
    data: { confirmedAt: at, undoHash: undo?.hash ?? null, undoUntil },
  });
  // Before the audit log is locked: it waits for those who notify the user, and then write to the log.
  await transaction.user.update({ where: { id: userId }, data: { email: change.to } });
  if (await isReserved(transaction, change.to, userId)) throw new AddressReserved();
  await verifyAddress(transaction, userId, {
    at,
    address: device.address,
    // The user who now confirms an address made all of it.
    confirmsEverything: true,
  });
  await endPasswordLinks(transaction, userId, at);
  await revokeOtherSessions(transaction, userId, sessionId, at);
  await recordAuditOfUser(transaction, userId, device.address, {
    action: "user.email_changed",
    changes: { before: { email: change.from }, after: { email: change.to } },
  });
  const about = { name: user.name, newEmail: change.to, ...originOf(device, at) };
  const undoUrl = undo && `${env().APP_URL}/verify/undo/${undo.token}`;
  await queueMail(
    transaction,
    change.from,
    { kind: "email-changed", ...about, undoUrl },
    undoUntil ? { usableUntil: undoUntil } : {},
  );
  await queueMail(transaction, change.to, { kind: "email-changed", ...about, undoUrl: null });
  return true;
}

/** Ends links for a new password, which were mailed to the earlier address. */
async function endPasswordLinks(transaction: Db, userId: string, at: Date): Promise<void> {
  await transaction.passwordReset.updateMany({
    where: { userId, usedAt: null },
    data: { usedAt: at },
  });
}

/** The change that the link reverses; null if it is no longer valid. */
export function findReversibleChange(token: string) {
  return db().emailChange.findUnique({ where: { undoHash: hashToken(token), ...reversible() } });
}

/**
 * The origins of other installations that have the account of the link, because organizations of the
 * user were moved there. The link is valid there as well, and reverses the change there alone.
 */
export async function otherInstallationsOf(token: string): Promise<string[]> {
  const memberships = await db().membership.findMany({
    where: {
      user: { emailChanges: { some: { undoHash: hashToken(token) } } },
      tenant: { movedTo: { not: null } },
    },
    orderBy: { tenantId: "asc" },
    select: { tenant: { select: { movedTo: true } } },
  });
  return [...new Set(memberships.flatMap(({ tenant }) => tenant.movedTo ?? []))];
}

/**
 * Gives the account back to the holder of its earlier address. From a week before the request on,
 * what was added for signing in is removed, and keys, webhooks, alerts, invitations and members
 * are suspended until someone confirms them. Every session ends, and the holder sets a new password
 * with a link to that address.
 * @returns false if the link is no longer valid
 * @throws AppError `conflict` if another account has the address by now
 */
export async function undoEmailChange(token: string, device: Device): Promise<boolean> {
  return db().$transaction(async (transaction) => {
    const undoHash = hashToken(token);
    const found = await transaction.emailChange.findUnique({ where: { undoHash } });
    if (!found) return false;
    const { userId } = found;
    await lockAccount({ db: transaction }, { userId });
    const where = { undoHash, ...reversible() };
    const change = await transaction.emailChange.findUnique({ where });
    if (!change?.confirmedAt) return false;

    const at = now();
    const user = await transaction.user.findUniqueOrThrow({ where: { id: userId } });
    // The links of later changes would give the account back to the thief's address.
    await transaction.emailChange.updateMany({
      where: { userId, requestedAt: { gte: change.requestedAt } },
      data: { undoneAt: at, expiresAt: at },
    });
    // First, so that the mails about what is dropped go to this address.
    const data = { email: change.from, passwordHash: null };
    await transaction.user.update({ where: { id: userId }, data }).catch(refuseTakenAddress);
    const since = new Date(change.requestedAt.getTime() - suspectMs);
    await dropSignInsSince(transaction, userId, since, { device, at });
    const owner = { id: userId, email: change.from, name: user.name };
    await suspendAccessMadeBy(transaction, owner, at, device.address, since);
    await endPasswordLinks(transaction, userId, at);
    await revokeSessions(transaction, userId, at);
    await recordAuditOfUser(transaction, userId, device.address, {
      action: "user.email_restored",
      changes: { before: { email: user.email }, after: { email: change.from } },
    });
    const about = { name: user.name, email: change.from, ...originOf(device, at) };
    for (const to of [change.from, user.email])
      await queueMail(transaction, to, { kind: "email-restored", ...about });
    return true;
  });
}

/** The address is reserved, so the other account was made in some unusual way, or just in time. */
function refuseTakenAddress(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new AppError(
    "conflict",
    "Another account has the earlier address now, so the change cannot be reversed. Ask the operator of this installation for help.",
  );
}

async function dropSignInsSince(
  transaction: Db,
  userId: string,
  since: Date,
  { device, at }: { device: Device; at: Date },
): Promise<void> {
  await transaction.providerAccount.deleteMany({ where: { userId, linkedAt: { gte: since } } });
  const added = { where: { userId, createdAt: { gte: since } } };
  await transaction.passkey.deleteMany(added);
  await transaction.authenticatorApp.deleteMany(added);
  // The thief may have created or read them. They have no time of creation to tell by.
  await transaction.recoveryCode.deleteMany({ where: { userId } });
  const left =
    (await transaction.passkey.count({ where: { userId } })) +
    (await transaction.authenticatorApp.count({ where: { userId, confirmedAt: { not: null } } }));
  if (left === 0) await dropSecondFactor(transaction, userId, { device, at, change: lostToOwner });
}
