import { recordAudit } from "@/lib/audit/service";
import type { Caller } from "@/lib/platform/caller";
import { AppError } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { lockTenant } from "@/lib/tenants/service";

/**
 * Decides whether members need a second factor. Those without one have no access to the dashboard
 * until they set one up, starting with their next request. API keys are not affected.
 * @throws AppError `conflict` if the owner who requires it has none
 */
export async function changeSecondFactorRequirement(
  caller: Caller,
  isRequired: boolean,
): Promise<void> {
  requireRole(caller, "OWNER", "require a second factor");
  await requireStepUp(caller, "changeSecondFactorRequirement");
  const { id, requiresSecondFactor: before } = await lockTenant(caller);
  if (before === isRequired) return;
  if (isRequired) await requireOwnFactor(caller);
  await caller.db.tenant.update({ where: { id }, data: { requiresSecondFactor: isRequired } });
  await recordAudit(caller, {
    action: "organization.second_factor_changed",
    targetId: id,
    changes: { before: { isRequired: before }, after: { isRequired } },
  });
}

async function requireOwnFactor({ db, actor }: Caller): Promise<void> {
  const where = { id: actor.id, secondFactorAt: { not: null } };
  if ((await db.user.count({ where })) === 0)
    throw new AppError(
      "conflict",
      "Set up a second factor in your own profile first, so that you keep access.",
    );
}

/** How many members would have to set one up. */
export const countMembersWithoutFactor = ({ db, partition: { tenantId } }: Caller) =>
  db.membership.count({ where: { tenantId, suspendedAt: null, user: { secondFactorAt: null } } });
