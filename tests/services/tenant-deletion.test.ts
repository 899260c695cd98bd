// cspell:ignore attname attrelid
import { appendFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { flushAnchors } from "@/lib/audit/anchors";
import { verifyChainOf, verifyReceipts } from "@/lib/audit/verify-chain";
import { indexForSearch } from "@/lib/conversations/search-index";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { openMail } from "@/lib/mail/service";
import { removeStrayBlobs } from "@/lib/platform/blobs/service";
import { mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { updateRetention } from "@/lib/retention/settings";
import { deleteTenants, settlingMs } from "@/lib/tenant-deletion/delete-tenants";
import { tenantTables } from "@/lib/tenant-deletion/delete-tenants.sql";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { renameTenant } from "@/lib/tenants/service";
import { requestWipe } from "@/lib/test-data/service";
import { flushRequestCounts } from "@/lib/usage/count-requests";
import { call, newKey } from "../support/api";
import { fillTenant } from "../support/fill-tenant";
import { as, newMember, newOrganization, type TestPerson } from "../support/people";
import { listFiles, placesWith } from "../support/places-with";
import { searchFindsAll } from "../support/search";

const remove = (person: TestPerson, slug: string) =>
  mutate(as(person), (caller) => deleteOrganization(caller, slug));

async function newFilledTenant() {
  const { tenant, owner } = await newOrganization();
  const keys = await Promise.all([newKey(tenant), newKey(tenant, { environment: "live" })]);
  for (const key of keys) {
    const { customer } = await fillTenant(key);
    await call(key, "POST", `/customers/${customer.id}/erase`);
  }
  await flushRequestLogs();
  await flushRequestCounts();
  await mutate(as(owner), async (caller) => {
    const days = { conversations: 1, events: null, requestLogs: null, attempts: null };
    await updateRetention(caller, days);
    await requestWipe(caller, tenant.slug);
    const sentAt = new Date();
    const invitation = {
      email: "grace@example.com",
      role: "VIEWER",
      tokenHash: Buffer.from(tenant.id),
    } as const;
    await caller.db.invitation.create({
      data: {
        ...{ tenantId: tenant.id, id: `inv_${tenant.id.slice(4)}`, ...invitation, wasMailed: true },
        ...{ invitedById: owner.id, createdAt: sentAt, sentAt, expiresAt: sentAt },
      },
    });
    await caller.db.mail.create({
      data: {
        id: `mail_${tenant.id.slice(4)}`,
        kind: "invitation",
        recipient: invitation.email,
        tenantId: tenant.id,
        createdAt: sentAt,
      },
    });
  });
  return { tenant, owner, keys };
}

/** Every row of a tenant, by table. */
async function rowsOf(tenantId: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool().query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace ORDER BY 1`);
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const sql = `SELECT (to_jsonb(r) - 'last_used_at')::text AS row FROM "${name}" r WHERE tenant_id = $1 ORDER BY 1`;
    const { rows } = await pool().query<{ row: string }>(sql, [tenantId]);
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

/** Runs batches until no deletion is left, at a time when every request has ended. */
async function workOff(limit: number): Promise<number> {
  setCurrentTime(() => new Date(Date.now() + settlingMs + aheadMs));
  let aheadMs = 0;
  try {
    for (let batch = 1; ; batch++) {
      if (batch > 3_000) throw new Error("the deletion does not come to an end");
      await deleteTenants(limit);
      await removeStrayBlobs(100);
      await indexForSearch(500);
      if ((await db().tenantDeletion.count()) === 0) return batch;
      aheadMs += 1_000;
    }
  } finally {
    setCurrentTime(null);
  }
}

test("no row and no file of a deleted organization remain but its receipt, and nothing of another one changes", async () => {
  const [{ tenant, owner, keys }, stranger] = [await newFilledTenant(), await newFilledTenant()];
  await searchFindsAll();
  const before = await rowsOf(tenant.id);
  const known = [...tenantTables.map(({ name }) => name), "audit_entries"];
  known.push("search_changes", "stray_blobs");
  expect(Object.keys(before).sort()).toEqual(
    // Only a move in progress has a row in the last one, and a deletion waits for its end.
    [...known, "deleted_tenants", "tenant_deletions", "tenant_moves"].sort(),
  );
  const others = await rowsOf(stranger.tenant.id);
  const traces = [tenant.id, tenant.slug, tenant.name].map((text) => text.toLowerCase());

  await remove(owner, tenant.slug);
  expect((await verifyChainOf(db(), tenant.id)).broken).toBeNull();
  const log = await db().auditEntry.findFirstOrThrow({
    where: { tenantId: tenant.id },
    orderBy: { sequence: "desc" },
  });
  expect(log).toMatchObject({ action: "organization.deletion_requested", actorId: owner.id });
  // A request that was in progress.
  await db().idempotencyRecord.create({
    data: {
      ...{ ...keys[0]?.identity.partition, tenantId: tenant.id, environment: "test", key: "late" },
      ...{ fingerprint: Buffer.alloc(32), status: 200, body: tenant.id },
      ...{ createdAt: new Date(), expiresAt: new Date() },
    },
  });
  // A crash after any batch: the next one continues.
  expect(await workOff(25)).toBeGreaterThan(10);

  const { deleted_tenants: receipts, ...rest } = await rowsOf(tenant.id);
  expect(Object.entries(rest).filter(([, rows]) => rows.length > 0)).toEqual([]);
  expect(receipts).toHaveLength(1);
  expect(listFiles(path.join(env().BLOB_DIRECTORY, "kept", tenant.id))).toEqual([]);
  expect(await placesWith(traces)).toEqual([expect.stringMatching(/^deleted_tenants\.tenant_id/)]);
  expect(await rowsOf(stranger.tenant.id)).toEqual(others);

  const receipt = await db().deletedTenant.findUniqueOrThrow({ where: { tenantId: tenant.id } });
  expect(receipt).toMatchObject({
    requestedById: owner.id,
    auditEntries: log.sequence,
    auditHash: log.hash,
  });
  expect(receipt.deletedRows).toBeGreaterThan(100);
  await flushAnchors();
  expect((await verifyReceipts(db())).broken).toBeNull();
});

test("keys stop working, nothing is sent to webhooks, members lose access, and the slug can be used again", async () => {
  const { tenant, owner } = await newOrganization();
  const member = await newMember(tenant.id, "VIEWER");
  const key = await newKey(tenant);
  const url = "http://127.0.0.1:9/hook";
  const { body: webhook } = await call(key, "POST", "/webhooks", { url, events: ["*"] });
  await call(key, "POST", "/conversations", { channelId: "web" });
  const delivery = await db().delivery.findFirstOrThrow({ where: { webhookId: webhook.id } });

  await remove(owner, tenant.slug);
  await expect.poll(async () => (await call(key, "GET", "/account")).status).toBe(401);
  await attemptDelivery({ ...key.identity.partition, id: delivery.id });
  expect(await db().delivery.findFirstOrThrow({ where: { id: delivery.id } })).toMatchObject({
    attemptCount: 0,
  });
  expect(await db().webhookSecret.count({ where: { tenantId: tenant.id } })).toBe(0);
  expect(await db().membership.count({ where: { tenantId: tenant.id } })).toBe(0);
  await expect(remove(owner, tenant.slug)).rejects.toThrow("no longer a member");
  expect(await db().tenant.findUnique({ where: { slug: tenant.slug } })).toBeNull();

  const mails = await db().mail.findMany({ where: { kind: "organization-deleted" } });
  const own = mails.filter(({ recipient }) => [owner.email, member.email].includes(recipient));
  expect(own).toHaveLength(2);
  for (const mail of own)
    expect(openMail(mail)?.text).toContain(
      `${owner.name} (${owner.email}) deleted the organization ${tenant.name}.`,
    );
  await workOff(500);
});

test("nothing is certified while a request that was in progress can still write", async () => {
  const { tenant, owner } = await newOrganization();
  const requestedMs = Date.now();
  setCurrentTime(() => new Date(requestedMs));
  await remove(owner, tenant.slug).finally(() => setCurrentTime(null));
  setCurrentTime(() => new Date(requestedMs + settlingMs - 1));
  try {
    for (let batch = 0; batch < 5; batch++) await deleteTenants(500);
  } finally {
    setCurrentTime(null);
  }
  expect(await db().deletedTenant.count({ where: { tenantId: tenant.id } })).toBe(0);
  // The store did not remove a file yet.
  const key = `${tenant.id}/test/some-file`;
  const removeAfter = new Date(Date.now() + settlingMs);
  const partition = { tenantId: tenant.id, environment: "test" } as const;
  await db().strayBlob.create({ data: { ...partition, key, removeAfter } });
  setCurrentTime(() => new Date(Date.now() + settlingMs));
  try {
    for (let batch = 0; batch < 5; batch++) await deleteTenants(500);
  } finally {
    setCurrentTime(null);
  }
  expect(await db().deletedTenant.count({ where: { tenantId: tenant.id } })).toBe(0);
  await workOff(500);
  expect(await db().deletedTenant.count({ where: { tenantId: tenant.id } })).toBe(1);
});

test("the large deletion of one organization does not delay the small one of another", async () => {
  const [large, small] = [await newFilledTenant(), await newOrganization()];
  await remove(large.owner, large.tenant.slug);
  for (let batch = 0; batch < 3; batch++) await deleteTenants(5);
  await remove(small.owner, small.tenant.slug);
  const late = () => new Date(Date.now() + settlingMs + 1_000);
  setCurrentTime(late);
  await searchFindsAll();
  const isThere = () => db().tenant.findUnique({ where: { id: small.tenant.id } });
  try {
    for (let batch = 0; batch < 16 && (await isThere()); batch++) await deleteTenants(5);
  } finally {
    setCurrentTime(null);
  }
  expect(await isThere()).toBeNull();
  expect(await db().event.count({ where: { tenantId: large.tenant.id } })).toBeGreaterThan(0);
  await workOff(500);
});

test("only a receipt that names the last entry allows the deletion of an audit log", async () => {
  // Otherwise the anchor of an earlier receipt, which is recorded a moment later, could be that of
  // the forged one.
  await flushAnchors();
  const { tenant, owner } = await newOrganization();
  await mutate(as(owner), (caller) => renameTenant(caller, "Another name"));
  const deleteLog = () => pool().query("SELECT delete_audit_entries($1, 10)", [tenant.id]);
  await expect(deleteLog()).rejects.toThrow("no receipt names the last audit entry");
  const forged = (auditEntries: number, auditHash: Uint8Array<ArrayBuffer>) =>
    db().deletedTenant.create({
      data: {
        ...{ sequence: 1_000_000, tenantId: tenant.id, requestedAt: new Date() },
        ...{ requestedByType: "USER", requestedById: owner.id, deletedRows: 1, keyId: "none" },
        ...{ auditEntries, auditHash, previousHash: Buffer.alloc(32), hash: Buffer.alloc(32) },
        createdAt: new Date(),
      },
    });
  const [first] = await db().auditEntry.findMany({
    where: { tenantId: tenant.id },
    orderBy: { sequence: "asc" },
  });
  await forged(1, first?.hash ?? new Uint8Array());
  // It would leave a log that begins with its second entry.
  await expect(deleteLog()).rejects.toThrow("no receipt names the last audit entry");
  await expect(db().deletedTenant.deleteMany({})).rejects.toThrow("append-only");
  await expect(db().deletedTenant.updateMany({ data: { deletedRows: 2 } })).rejects.toThrow(
    "append-only",
  );
  // It was not sealed with the key, and the check says so.
  expect((await verifyReceipts(db())).broken).not.toBeNull();
  await tamper("DELETE FROM deleted_tenants WHERE sequence = 1000000", []);
});

/** As an attacker with access to the database could. */
async function tamper(sql: string, values: unknown[]) {
  const client = await pool().connect();
  try {
    await client.query("BEGIN; SET LOCAL session_replication_role = replica");
    await client.query(sql, values);
    await client.query("COMMIT");
  } finally {
    client.release();
  }
}

test("the check names a receipt that was altered or removed, or that hides the end of a log", async () => {
  for (let count = 0; count < 3; count++) {
    const { tenant, owner } = await newOrganization();
    await remove(owner, tenant.slug);
  }
  await workOff(500);
  await flushAnchors();
  const { entries, broken } = await verifyReceipts(db());
  expect(broken).toBeNull();

  const last = await db().deletedTenant.findFirstOrThrow({ orderBy: { sequence: "desc" } });
  const change = "UPDATE deleted_tenants SET deleted_rows = deleted_rows + $1 WHERE sequence = $2";
  await tamper(change, [1, last.sequence]);
  expect((await verifyReceipts(db())).broken).toEqual({
    sequence: entries,
    reason: "it was altered",
  });
  await tamper(change, [-1, last.sequence]);

  const file = `${env().AUDIT_ANCHOR_FILE}.later`;
  const later = { at: "2026-01-01", tenantId: last.tenantId, sequence: 99, hash: "aa" };
  appendFileSync(file, `${JSON.stringify(later)}\n`);
  expect((await verifyReceipts(db(), file)).broken?.reason).toContain(
    `it does not name the last entry of the audit log of ${last.tenantId}`,
  );
  await tamper("DELETE FROM deleted_tenants WHERE sequence = $1", [last.sequence]);
  expect((await verifyReceipts(db())).broken?.reason).toContain("it was cut off");
});

test("422 for another slug than the organization's own, and an operator can delete it, too", async () => {
  const { tenant, owner } = await newOrganization();
  await expect(remove(owner, "something else")).rejects.toThrow(`must be ${tenant.slug}`);
  const operator = { ...system({ tenantId: tenant.id, environment: "test" }) };
  operator.actor = { type: "OPERATOR", id: "admin" };
  await mutate(operator, (caller) => deleteOrganization(caller, tenant.slug));
  await expect(mutate(operator, (caller) => deleteOrganization(caller, tenant.id))).rejects.toThrow(
    "already being deleted",
  );
  await workOff(500);
  expect(await db().deletedTenant.findUnique({ where: { tenantId: tenant.id } })).toMatchObject({
    requestedByType: "OPERATOR",
  });
});
