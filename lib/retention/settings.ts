import { recordAudit } from "@/lib/audit/service";
import type { Caller, Partition } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { requireRole } from "@/lib/platform/roles";
import { now } from "@/lib/platform/time";
import { firstIdAt, type IdKind } from "@/lib/resources/ids";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { countExpiredStatements, maximumPreviewed } from "./apply-retention.sql";
import { type RetentionKind, retentionKinds } from "./kinds";
import type { Retention } from "./settings-schema";

const dayMs = 86_400_000;
const unlimited: Retention = {
  conversations: null,
  events: null,
  requestLogs: null,
  attempts: null,
};

/** How long this environment stores things. */
export async function getRetention({ db, partition }: Caller): Promise<Retention> {
  const found = await db.retentionSetting.findUnique({
    where: { tenantId_environment: partition },
  });
  const { conversations, events, requestLogs, attempts } = found ?? unlimited;
  return { conversations, events, requestLogs, attempts };
}

/** What would expire with these settings now. `isMore` means more than `count`. */
export type RetentionPreview = Record<RetentionKind, { count: number; isMore: boolean }>;

export async function previewRetention(
  caller: Caller,
  retention: Retention,
): Promise<RetentionPreview> {
  requireRole(caller, "ADMIN", "change the retention");
  const at = now();
  const counted = await Promise.all(
    (Object.keys(retentionKinds) as RetentionKind[]).map(async (kind) => {
      const days = retention[kind];
      if (days === null) return [kind, { count: 0, isMore: false }] as const;
      const statement = countExpiredStatements[kind](boundsOf(caller.partition, kind, days, at));
      const [found] = await runSql<{ count: number }>(statement);
      const count = Math.min(found?.count ?? 0, maximumPreviewed);
      return [kind, { count, isMore: (found?.count ?? 0) > maximumPreviewed }] as const;
    }),
  );
  return Object.fromEntries(counted) as RetentionPreview;
}

/** Takes effect within seconds. What was deleted does not come back with longer times. */
export async function updateRetention(caller: Caller, retention: Retention): Promise<Retention> {
  requireRole(caller, "ADMIN", "change the retention");
  await requireStepUp(caller, "updateRetention");
  const before = await getRetention(caller);
  if (JSON.stringify(before) === JSON.stringify(retention)) return before;
  const data = {
    ...retention,
    afterEventId: "",
    afterDeliveryId: "",
    // Immediately, whatever the clocks of this process and of the database say.
    passStartedAt: new Date(0),
    nextAt: new Date(0),
  };
  await caller.db.retentionSetting.upsert({
    where: { tenantId_environment: caller.partition },
    create: { ...caller.partition, ...data },
    update: data,
  });
  await recordAudit(caller, {
    action: "retention.changed",
    targetId: caller.partition.tenantId,
    changes: { before, after: retention },
  });
  return retention;
}

const idKinds: Record<RetentionKind, IdKind> = {
  conversations: "conversation",
  events: "event",
  requestLogs: "request",
  attempts: "delivery",
};

/** The time and the id before which a row has expired. */
export function boundsOf(partition: Partition, kind: RetentionKind, days: number, at: Date) {
  const before = new Date(at.getTime() - days * dayMs);
  return { ...partition, before, beforeId: firstIdAt(idKinds[kind], before) };
}
