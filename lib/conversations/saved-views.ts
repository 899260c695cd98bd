import { recordAudit } from "@/lib/audit/service";
import type { Caller } from "@/lib/platform/caller";
import { AppError, limitReached } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { lockName } from "@/lib/resources/lock-row";

/** Filters of the inbox, as the query of its URL, under a name. */
export type SavedView = { userId: string; name: string; query: string; isShared: boolean };

const select = { userId: true, name: true, query: true, isShared: true } as const;
/** More would not fit the pane. */
const mostViews = 20;
/** Of other members. The newest ones are shown, so that a new view always appears. */
const mostSharedByOthers = 200;

/** All of the caller's own views, and those that others share, by name. */
export async function listSavedViews({ db, partition, actor }: Caller): Promise<SavedView[]> {
  const [own, shared] = await Promise.all([
    db.savedView.findMany({ where: { ...partition, userId: actor.id }, select }),
    db.savedView.findMany({
      where: { ...partition, isShared: true, NOT: { userId: actor.id } },
      orderBy: { createdAt: "desc" },
      take: mostSharedByOthers,
      select,
    }),
  ]);
  return [...own, ...shared].sort(
    (a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId),
  );
}

/** Saves a view of the caller, or replaces the one with this name. */
export async function saveView(
  caller: Caller,
  { name, query, isShared }: Omit<SavedView, "userId">,
): Promise<void> {
  if (isShared) requireRole(caller, "MEMBER", "share views");
  const { db, partition, actor } = caller;
  await lockName(caller, `views:${partition.tenantId}:${actor.id}`);
  const where = { ...partition, userId: actor.id };
  const current = await db.savedView.count({ where: { ...where, name: { not: name } } });
  if (current >= mostViews)
    throw limitReached(`You have ${mostViews} saved views. Delete one first.`, {
      limit: mostViews,
      current,
    });
  await db.savedView.upsert({
    where: { tenantId_environment_userId_name: { ...where, name } },
    create: { ...where, name, query, isShared, createdAt: new Date() },
    update: { query, isShared },
  });
}

/** Deletes a view of the caller. Administrators can also delete those that others share. */
export async function deleteView(
  caller: Caller,
  { userId, name }: Pick<SavedView, "userId" | "name">,
): Promise<void> {
  const { db, partition, actor } = caller;
  const isOwn = userId === actor.id;
  if (!isOwn) requireRole(caller, "ADMIN", "delete views of other members");
  await lockName(caller, `views:${partition.tenantId}:${userId}`);
  const where = { ...partition, userId, name, ...(!isOwn && { isShared: true }) };
  const view = await db.savedView.findFirst({ where, select });
  if (!view) throw new AppError("conflict", "The view is already deleted.");
  await db.savedView.deleteMany({ where });
  // Others may miss a shared view. Its name and query are left out, because both can name a customer,
  // who could not be erased from the log.
  if (view.isShared)
    await recordAudit(caller, { action: "saved_view.deleted", targetId: userId, changes: {} });
}
