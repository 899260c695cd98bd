import { expect, test } from "vitest";
import { namesTenant, placesWithoutTenant, tenantTables } from "../support/tenant-guard";

/** Statements that do not name a tenant, and why. Add one only if it must work across all tenants. */
const exceptions: Record<string, string> = {
  "lib/audit/anchors.ts: deletedTenant.findFirst": "receipts are one chain for all tenants",
  "lib/audit/receipts.ts: deletedTenant.findFirst": "receipts are one chain for all tenants",
  "lib/audit/verify-chain.ts: deletedTenant.findMany": "receipts are one chain for all tenants",
  "lib/auth/password-reset.ts: mail.findMany": "a person's mail belongs to no tenant",
  "lib/conversations/search-index.sql.ts: continueChangeStatement": "one index for all tenants",
  "lib/conversations/search-index.sql.ts: deleteChangesStatement": "one index for all tenants",
  "lib/conversations/search-index.sql.ts: mergeChangesStatement": "one index for all tenants",
  "lib/conversations/search-index.sql.ts: newestChangeStatement": "one index for all tenants",
  "lib/conversations/search-index.sql.ts: nextChangesStatement": "one index for all tenants",
  "lib/conversations/search-index.sql.ts: searchWorkStatement": "one index for all tenants",
  "lib/conversations/list.sql.ts: byChange":
    "its condition is made by bindFilters, after the partition",
  "lib/conversations/list.sql.ts: plainList":
    "its condition is made by bindFilters, after the partition",
  "lib/deliveries/engine/release-leases.ts: releaseLeasesStatement":
    "a sole worker releases every lease",
  "lib/events/rebase.ts: rebaseEvents": "after a restore, for the whole database",
  "lib/knowledge/documents/process-document.sql.ts: releaseAllStatement":
    "a sole worker releases every lease",
  "lib/mail/daily-limits.ts: mail.count": "counts what an address, a tenant or a sender got",
  "lib/mail/send-mails.sql.ts: claimMailStatement": "mails of people belong to no tenant",
  "lib/mail/send-mails.sql.ts: settleMailStatement": "mails of people belong to no tenant",
  "lib/mail/service.ts: mail.findMany": "the page for mails of a development machine",
  "lib/members/accept-invitation.ts: invitation.findUnique":
    "finds the tenant by the digest of a token",
  "lib/readiness/service.sql.ts: backlogsStatement": "the backlog of the whole database",
  "lib/retention/purge-expired.ts: giveUpHeldStatement": "retention of all tenants",
  "lib/retention/purge-expired.ts: purgeStatement": "retention of all tenants",
  "lib/secrets/service.sql.ts: countByMasterKeyQuery": "master keys belong to the installation",
  "lib/secrets/service.sql.ts: replaceSealedQuery": "master keys belong to the installation",
  "lib/secrets/service.sql.ts: selectOutdatedQuery": "master keys belong to the installation",
  "lib/secrets/service.sql.ts: selectSampleQuery": "master keys belong to the installation",
  "lib/tenant-move/rows.ts: deleteLeftUsers": "users who are in no organization of the target",
  "lib/tenants/service.ts: membership.count": "counts a person's tenants",
  "lib/users/service.ts: membership.findFirst": "whether the installation has an owner",
  "lib/webhooks/mail-warnings.ts: webhookWarning.findMany": "a job for all tenants",
  "lib/webhooks/public-keys.ts: webhookSecret.findMany":
    "a public page, found by the webhook's id alone",
};

test("every statement on a tenant's table names the tenant, except those listed with a reason", () => {
  expect(placesWithoutTenant().sort()).toEqual(Object.keys(exceptions).sort());
});

test("a statement that forgets the tenant for one of its tables is found", () => {
  const tables = tenantTables();
  expect(tables.length).toBeGreaterThan(40);
  const names = (text: string) => namesTenant(text, tables);
  const joined = "SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation_id";
  expect(names(`${joined} WHERE m.tenant_id = $1`)).toBe(false);
  expect(names(`${joined} WHERE m.tenant_id = $1 AND c.tenant_id = $1`)).toBe(true);
  expect(names('UPDATE "webhooks" SET status = $1 WHERE id = $2')).toBe(false);
  expect(names("SELECT 1 FROM pg_class")).toBe(true);
});
