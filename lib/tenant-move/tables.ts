import { tenantTables } from "@/lib/tenant-deletion/delete-tenants.sql";

/** The target rebuilds its search, because the rows have numbers of their own. */
const searchTables = ["search_entries", "search_changes", "search_segments"];

/**
 * Small tables that are copied while writes are stopped, in this order. Without them, the target
 * knows neither the keys nor the webhooks, so it serves and sends nothing before.
 */
export const lastTables = [
  "memberships",
  "invitations",
  "api_keys",
  "webhooks",
  "alert_targets",
  "alerts",
  "mails",
];

/** Tables whose rows PostgreSQL replicates. */
export const replicatedTables = [
  ...tenantTables
    .map(({ name }) => name)
    .filter((name) => !searchTables.includes(name) && !lastTables.includes(name)),
  "audit_entries",
  "stray_blobs",
];

/**
 * Transaction ids mean nothing in another cluster, so these columns get the target's own. The order
 * of the feed is restored afterwards (feed-order.ts).
 */
export const columnsLeftOut: Record<string, string> = { messages: "xact", events: "xact" };

/** Every table with rows of a tenant, and the column with its id. */
export const ownedTables: { name: string; column: string }[] = [
  ...replicatedTables.map((name) => ({ name, column: "tenant_id" })),
  ...lastTables.map((name) => ({ name, column: "tenant_id" })),
  { name: "tenants", column: "id" },
];

/** What is left in the source after a move: enough to recognize keys and members. */
export const forwardingTables = ["tenants", "api_keys", "memberships"];

/** All that is deleted in the source after a move, and in the target when one is aborted. */
export const deletedTables = [...replicatedTables, ...lastTables, ...searchTables];

/** What belongs to a user and is copied with them. */
export const userTables = [
  "provider_accounts",
  "passkeys",
  "authenticator_apps",
  "recovery_codes",
  "email_changes",
];
