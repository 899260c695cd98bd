import { queueAlert } from "@/lib/alerts/service";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMailToAdmins } from "@/lib/mail/service";
import type { NotificationChoice } from "@/lib/notifications/choices";
import { notifyOfQuota } from "@/lib/notifications/service";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { logOf } from "@/lib/platform/log";
import { planStorageBytes } from "@/lib/tenants/service";
import type { Plan } from "@/prisma/generated/enums";
import { claimQuotaWarningStatement, dueQuotaWarningsStatement } from "./quota-warnings.sql";
import { storedBytes } from "./stored-bytes";

const log = logOf("jobs");

/** The parts of its quota at which the owners and admins of an environment are warned. */
const percents = [80, 100];

type Due = Partition & { percent: number };

const leftOutTenants = leaveOut("a quota warning could not be queued and will be tried again");

/**
 * Warns owners and admins once a month for each part of the storage quota that an environment has
 * reached: by mail, in the dashboard and in the organization's chat. An environment that reaches
 * both parts together gets only the higher warning.
 * @returns how many environments it tried to warn
 */
export async function warnOfQuotas(limit: number): Promise<number> {
  const plans = Object.keys(planStorageBytes) as Plan[];
  const limits = plans.map((plan) => planStorageBytes[plan]);
  const due = await runSql<Due>(
    dueQuotaWarningsStatement({ plans, limits, percents, except: leftOutTenants.ids(), limit }),
  );
  for (const { percent, ...partition } of due)
    await leftOutTenants.attempt(partition.tenantId, { ...partition, percent }, () =>
      warn(partition, percent),
    );
  return due.length;
}

/** The environments that this process is warning. A program can have many uploads rejected at once. */
const warning = new Set<string>();

/**
 * The quota is used up when an upload does not fit. The upload's transaction is rolled back, so this
 * is a transaction of its own, and it does not delay the response. If it fails, the next upload
 * tries again.
 */
export function warnOfRejectedUpload(partition: Partition): void {
  const name = `${partition.tenantId} ${partition.environment}`;
  if (warning.has(name)) return;
  warning.add(name);
  warn(partition, 100)
    .catch((error: Error) =>
      log.warn({ error: error.message }, "a warning of a used up quota could not be queued"),
    )
    .finally(() => warning.delete(name));
}

/** Exactly one transaction a month claims the warning, and what it queues commits with the claim. */
function warn(partition: Partition, percent: number): Promise<void> {
  return mutate(system(partition), async (caller) => {
    const { tenantId, environment } = partition;
    const stored = await storedBytes(caller);
    const claimed = await runSql<{ percent: number; plan: Plan }>(
      claimQuotaWarningStatement({
        ...partition,
        percents: percents.filter((each) => each <= percent),
        storedBytes: stored,
      }),
      caller,
    );
    const own = claimed.find((each) => each.percent === percent);
    if (!own) return;
    const limitBytes = planStorageBytes[own.plan];
    const mail = {
      kind: "storage-quota",
      ...{ environment, percent, storedBytes: stored, limitBytes },
    } as const;
    if (mailTransport() !== "none")
      await queueMailToAdmins(caller.db, tenantId, mail, {
        unlessMuted: "quota:mail" satisfies NotificationChoice,
      });
    await queueAlert(caller.db, tenantId, mail);
    await notifyOfQuota(caller, percent);
  });
}
