import { warnOfExpiringKeys } from "@/lib/api-keys/warn-of-expiring-keys";
import { sendPasswordResets } from "@/lib/auth/password-reset";
import { indexForSearch } from "@/lib/conversations/search-index";
import { wakeSnoozedConversations } from "@/lib/conversations/service";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { sweepLanes } from "@/lib/deliveries/engine/release-lanes";
import { sweepWebhooks } from "@/lib/deliveries/engine/sweep-webhooks";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { workOffErasures } from "@/lib/erasures/work-off-erasures";
import { failStuckDocuments } from "@/lib/knowledge/documents/process-document";
import { sendMails } from "@/lib/mail/send-mails";
import { removeStrayBlobs } from "@/lib/platform/blobs/service";
import { applyRetention } from "@/lib/retention/apply-retention";
import { createPartitions } from "@/lib/retention/partitions";
import { purgeExpired } from "@/lib/retention/purge-expired";
import { warnOfQuotas } from "@/lib/storage/quota-warnings";
import { deleteTenants } from "@/lib/tenant-deletion/delete-tenants";
import { wipeTestData } from "@/lib/test-data/service";
import { countFinishedDays } from "@/lib/usage/count-finished-days";
import { mailWarnings } from "@/lib/webhooks/mail-warnings";
import { sendAlerts } from "@/lib/webhooks/send-alerts";
import { analyzeNewTables } from "./analyze-new-tables";

export type RecurringJob = {
  /**
   * Processes one batch. Concurrent runs must not do the same work twice. @returns how much it did;
   * `limit` or more means that there may be more
   */
  work: (limit: number) => Promise<number>;
  limit: number;
  /**
   * How long the worker waits after a batch that was not full. Inngest schedules in minutes, so it
   * starts every minute.
   */
  pauseMs: number;
};

/**
 * Jobs that run repeatedly: in the worker, and also as Inngest functions with these names if
 * Inngest is configured. A job that is added here runs in both.
 */
export const recurringJobs: Record<string, RecurringJob> = {
  "wake-snoozed-conversations": { work: wakeSnoozedConversations, limit: 100, pauseMs: 2_000 },
  "index-for-search": { work: indexForSearch, limit: 200, pauseMs: 500 },
  "sweep-webhooks": { work: sweepWebhooks, limit: 100, pauseMs: 5_000 },
  "sweep-lanes": { work: sweepLanes, limit: 500, pauseMs: 1_000 },
  "work-off-backlogs": { work: workOffBacklog, limit: 500, pauseMs: 1_000 },
  "analyze-new-tables": { work: analyzeNewTables, limit: 100, pauseMs: 2_000 },
  "fail-stuck-documents": { work: failStuckDocuments, limit: 100, pauseMs: 10_000 },
  "remove-stray-files": { work: removeStrayBlobs, limit: 100, pauseMs: 2_000 },
  "mail-warnings": { work: mailWarnings, limit: 50, pauseMs: 5_000 },
  "send-password-resets": { work: sendPasswordResets, limit: 50, pauseMs: 1_000 },
  "send-mails": { work: sendMails, limit: 50, pauseMs: 1_000 },
  "send-alerts": { work: sendAlerts, limit: 50, pauseMs: 2_000 },
  "warn-of-expiring-keys": { work: warnOfExpiringKeys, limit: 100, pauseMs: 60_000 },
  "warn-of-quotas": { work: warnOfQuotas, limit: 50, pauseMs: 15_000 },
  "count-finished-days": { work: countFinishedDays, limit: 20, pauseMs: 60_000 },
  "wipe-test-data": { work: wipeTestData, limit: 500, pauseMs: 2_000 },
  "delete-tenants": { work: deleteTenants, limit: 500, pauseMs: 2_000 },
  "work-off-deletions": { work: workOffDeletions, limit: 500, pauseMs: 1_000 },
  // Most rows are only read, which takes less than what a batch takes by itself.
  "work-off-erasures": { work: workOffErasures, limit: 1_000, pauseMs: 1_000 },
  "apply-retention": { work: applyRetention, limit: 200, pauseMs: 10_000 },
  "create-partitions": { work: createPartitions, limit: 100, pauseMs: 3_600_000 },
  "purge-expired": { work: purgeExpired, limit: 1_000, pauseMs: 60_000 },
};
