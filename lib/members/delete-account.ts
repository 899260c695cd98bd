import { queueMail } from "@/lib/mail/service";
import { type Identity, withDatabase } from "@/lib/platform/caller";
import type { Db } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { lockAccount } from "@/lib/resources/lock-row";
import { deviceName } from "@/lib/sessions/device-name";
import type { Device, SignedInUser } from "@/lib/sessions/service";
import { changeAccount } from "@/lib/step-up/change-account";
import { recordAuditOfUser, reversibleUntil } from "@/lib/users/service";
import { revokeInvitationsOf } from "./invitations";

/**
 * Deletes the signed-in user with everything that signs them in. What they did stays: their
 * messages, the API keys they created, and their entries in audit logs, with their id and the name
 * of that time, because the seal of a log covers it.
 * @throws AppError `conflict` while they are the only owner of an organization, or while the holder of
 * an earlier address can take the account back: a thief who changed it must not delete it first
 */
export function deleteAccount(
  user: Pick<SignedInUser, "id" | "sessionId">,
  device: Device,
): Promise<void> {
  const how = { needsVerifiedAddress: false };
  return changeAccount(user, device, "delete your account", remove, how);

  async function remove(transaction: Db, at: Date): Promise<void> {
    const { address, userAgent } = device;
    await requireNothingToReverse(transaction, user.id);
    const memberships = await transaction.membership.findMany({
      where: { userId: user.id },
      orderBy: { tenantId: "asc" },
      include: { tenant: { select: { name: true } } },
    });
    // Two owners must not delete their accounts concurrently, each relying on the other.
    for (const { tenantId } of memberships) await lockAccount({ db: transaction }, { tenantId });
    await requireOtherOwners(transaction, user.id);

    await recordAuditOfUser(transaction, user.id, address, { action: "user.deleted", changes: {} });
    for (const { tenantId, role } of memberships) {
      const identity: Identity = {
        partition: { tenantId, environment: "test" },
        actor: { type: "USER", id: user.id, role },
        request: null,
        address,
      };
      await revokeInvitationsOf(withDatabase(identity, transaction), user.id, null);
    }
    const { email, name } = await transaction.user.delete({ where: { id: user.id } });
    await queueMail(transaction, email, {
      kind: "account-deleted",
      ...{ name, device: deviceName(userAgent), address, at },
    });
  }
}

/** The lock of the account keeps a change of its address from being confirmed meanwhile. */
async function requireNothingToReverse(transaction: Db, userId: string): Promise<void> {
  const until = await reversibleUntil(transaction, userId);
  if (!until) return;
  throw new AppError(
    "conflict",
    `Your email address was changed, and the earlier one can reverse that until ${until.toISOString().slice(0, 16).replace("T", " ")} UTC. You can delete your account after that.`,
  );
}

async function requireOtherOwners(transaction: Db, userId: string): Promise<void> {
  const owned = await transaction.membership.findMany({
    where: {
      userId,
      role: "OWNER",
      tenant: {
        // Its owners are in the other installation.
        movedTo: null,
        memberships: { none: { role: "OWNER", suspendedAt: null, userId: { not: userId } } },
      },
    },
    select: { tenant: { select: { name: true } } },
    orderBy: { tenantId: "asc" },
  });
  if (owned.length === 0) return;
  const names = owned.map(({ tenant }) => tenant.name).join(", ");
  throw new AppError(
    "conflict",
    `You are the only owner of: ${names}. Make another member an owner, or delete these organizations first.`,
  );
}
