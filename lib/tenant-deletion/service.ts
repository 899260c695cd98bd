import { forgetKeys } from "@/lib/api-keys/stored-api-key";
import { recordAudit } from "@/lib/audit/service";
import { queueMailToMembers } from "@/lib/mail/service";
import type { Caller } from "@/lib/platform/caller";
import { AppError, invalidBody } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { now } from "@/lib/platform/time";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { lockTenant } from "@/lib/tenants/service";

/**
 * Deletes the organization. In this transaction it loses everything that gives access to it: its
 * keys stop working, nothing more is sent to its webhooks, and it has no members and no slug. A job
 * deletes the rest (delete-tenants.ts).
 * @param confirmation the organization's slug, as typed by the user
 * @throws AppError `validation` if the slug does not match
 */
export async function deleteOrganization(caller: Caller, confirmation: string): Promise<void> {
  requireRole(caller, "OWNER", "delete the organization");
  await requireStepUp(caller, "deleteOrganization");
  const { id: tenantId, slug, name } = await lockTenant(caller);
  if (confirmation !== slug)
    throw invalidBody("/confirmation", "custom", `must be ${slug} to confirm`);
  const { db, actor } = caller;
  if (await db.tenantDeletion.findUnique({ where: { tenantId } }))
    throw new AppError("conflict", "The organization is already being deleted.");

  const at = now();
  await recordAudit(caller, {
    action: "organization.deletion_requested",
    targetId: tenantId,
    changes: { before: { name, slug } },
  });
  const user = actor.type === "USER" ? await db.user.findUnique({ where: { id: actor.id } }) : null;
  await queueMailToMembers(db, tenantId, {
    kind: "organization-deleted",
    deletedBy: user && { name: user.name, email: user.email },
  });
  await db.tenantDeletion.create({
    data: {
      tenantId,
      requestedByType: actor.type,
      requestedById: actor.id,
      requestedAt: at,
      nextAt: at,
    },
  });
  await closeAccess(caller, at);
  // No one can choose an id as a slug, and the slug can be used again.
  await db.tenant.update({ where: { id: tenantId }, data: { slug: tenantId, name: tenantId } });
}

async function closeAccess({ db, partition }: Caller, at: Date): Promise<void> {
  const where = { tenantId: partition.tenantId };
  const keys = await db.apiKey.findMany({
    where: { ...where, revokedAt: null },
    select: { hash: true },
  });
  await db.apiKey.deleteMany({ where });
  await forgetKeys({ db }, keys);
  await db.webhookSecret.deleteMany({ where });
  await db.backlogTask.deleteMany({ where });
  await db.webhook.updateMany({
    where,
    data: { status: "DISABLED", deletedAt: at, updatedAt: at, sealedHeaders: null },
  });
  // In this order, an invitation that is being accepted leaves no member.
  await db.invitation.deleteMany({ where });
  await db.membership.deleteMany({ where });
  await db.wipeTask.deleteMany({ where });
  await db.retentionSetting.deleteMany({ where });
}
