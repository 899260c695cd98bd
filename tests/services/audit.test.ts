import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { flushAnchors, readAnchors } from "@/lib/audit/anchors";
import { canonicalJson, keyIdOf } from "@/lib/audit/hash-chain";
import { listAuditQuery } from "@/lib/audit/schema";
import { exportAuditEntries, listAuditEntries, recordAudit } from "@/lib/audit/service";
import { foreignAuditKeys, verifyAuditChain, verifyChainOf } from "@/lib/audit/verify-chain";
import { mutate, reader } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { RoleMissing } from "@/lib/platform/roles";
import { renameTenant } from "@/lib/tenants/service";
import { renameUser } from "@/lib/users/service";
import { grantApplicationRole } from "@/prisma/roles";
import { as, auditOf, newMember, newOrganization, type TestPerson } from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

/** A log of `count` entries, after the one about the creation of the organization. */
async function newLog(count: number) {
  const { tenant, owner } = await newOrganization();
  for (let number = 1; number <= count; number++)
    await mutate(as(owner), (caller) => renameTenant(caller, `Name ${number}`));
  return { tenant, owner };
}

const verify = (person: TestPerson) => verifyAuditChain(reader(as(person)));

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

/** What was written is known to the process only, so a restart makes it write the same heads again. */
function restartAnchoring() {
  delete (globalThis as { parlanceAnchors?: unknown }).parlanceAnchors;
}

test("a day is accepted if PostgreSQL has it in every time zone, and refused otherwise", async () => {
  const { owner } = await newLog(0);
  for (const zone of ["UTC", "Pacific/Auckland", "America/Los_Angeles"]) {
    const query = listAuditQuery(zone);
    for (const day of ["1970-01-01", "9998-12-31"])
      await listAuditEntries(reader(as(owner)), query.parse({ from: day, to: day }));
    for (const day of ["0000-01-01", "0001-01-01", "9999-12-31"]) {
      const { error } = query.safeParse({ from: day, to: day });
      expect(error?.issues.map(({ path }) => path)).toEqual([["from"], ["to"]]);
    }
  }
});

test("the database refuses to change or delete an entry", async () => {
  const { tenant, owner } = await newLog(1);
  await expect(
    db().auditEntry.updateMany({ where: { tenantId: tenant.id }, data: { actorId: "usr_1" } }),
  ).rejects.toThrow("append-only");
  await expect(db().auditEntry.deleteMany({ where: { tenantId: tenant.id } })).rejects.toThrow(
    "append-only",
  );
  expect(await verify(owner)).toMatchObject({ entries: 2, broken: null });
});

test.each([
  ["the actor", "actor_id = 'usr_somebody_else'"],
  ["the action", "action = 'member.removed'"],
  ["what changed", `changes = '{"after": {"name": "Another"}}'`],
  ["the time", "created_at = created_at + interval '1 millisecond'"],
  ["the address", "address = '198.51.100.1'"],
  ["the hash", "hash = sha256('forged')"],
])("the check names an altered entry: %s", async (_title, change) => {
  const { tenant, owner } = await newLog(5);
  await tamper(`UPDATE audit_entries SET ${change} WHERE tenant_id = $1 AND sequence = 3`, [
    tenant.id,
  ]);
  expect(await verify(owner)).toMatchObject({
    entries: 2,
    broken: { sequence: 3, reason: "it was altered" },
  });
});

test("a removed entry is named, and a completely forged one is detected by the next one", async () => {
  const { tenant, owner } = await newLog(5);
  await tamper("DELETE FROM audit_entries WHERE tenant_id = $1 AND sequence = 4", [tenant.id]);
  expect(await verify(owner)).toMatchObject({
    entries: 3,
    broken: { sequence: 4, reason: "it is missing" },
  });

  await tamper(
    "UPDATE audit_entries SET sequence = sequence - 1 WHERE tenant_id = $1 AND sequence > 4",
    [tenant.id],
  );
  expect(await verify(owner)).toMatchObject({
    entries: 3,
    broken: { sequence: 4, reason: "it does not follow from the entry before it" },
  });
});

test("entries forged with recomputed hashes are detected, because the key is not in the database", async () => {
  const { tenant, owner } = await newLog(5);
  // A chain of plain hashes would accept this: all entries from the third on are rewritten, each
  // following from the one before.
  const entries = await db().auditEntry.findMany({
    where: { tenantId: tenant.id, sequence: { gte: 2 } },
    orderBy: { sequence: "asc" },
  });
  let previousHash = Buffer.from(entries[0]?.hash ?? []);
  for (const { hash: _hash, previousHash: _previous, ...entry } of entries.slice(1)) {
    const forged = { ...entry, actorId: "usr_somebody_else" };
    const hash = createHash("sha256").update(previousHash).update(canonicalJson(forged)).digest();
    await tamper(
      "UPDATE audit_entries SET actor_id = $3, previous_hash = $4, hash = $5 WHERE tenant_id = $1 AND sequence = $2",
      [...[tenant.id, entry.sequence, forged.actorId, previousHash, hash]],
    );
    previousHash = hash;
  }
  expect(await verify(owner)).toMatchObject({
    entries: 2,
    broken: { sequence: 3, reason: "it was altered" },
  });
});

test("entries removed from the end are detected, also when others were written in their place", async () => {
  const { tenant, owner } = await newLog(41);
  await flushAnchors();
  expect(await verify(owner)).toEqual({ entries: 42, anchored: 42, broken: null });

  await tamper("DELETE FROM audit_entries WHERE tenant_id = $1 AND sequence > 5", [tenant.id]);
  const cutOff = {
    entries: 5,
    broken: {
      sequence: 6,
      reason: expect.stringMatching(/^it was cut off: 42 entries were anchored at 20/),
    },
  };
  expect(await verify(owner)).toMatchObject(cutOff);

  restartAnchoring();
  for (let number = 1; number <= 37; number++)
    await mutate(as(owner), (caller) => renameTenant(caller, `Other ${number}`));
  await flushAnchors();
  expect(await verify(owner)).toMatchObject({
    anchored: 42,
    broken: { reason: expect.stringMatching(/^it is not the entry that was anchored at 20/) },
  });
});

test("a head that cannot be read is anchored later", async () => {
  const { tenant, owner } = await newLog(1);
  await flushAnchors();
  // From the commit of the entry on, nothing can read it: the timer's flush may come at any time.
  await mutate(as(owner), async (caller) => {
    await renameTenant(caller, "Out of sight");
    await caller.db.$executeRawUnsafe("ALTER TABLE audit_entries RENAME TO audit_entries_away");
  });
  try {
    const fails = () => expect(flushAnchors()).rejects.toThrow("audit_entries");
    await vi.waitFor(fails, { timeout: 60_000 });
  } finally {
    await pool().query("ALTER TABLE audit_entries_away RENAME TO audit_entries");
  }
  const anchored = async () => {
    await flushAnchors();
    return anchoredFromSecond(tenant.id);
  };
  await expect.poll(anchored).toEqual([2, 3]);
});

test("the head of a log is anchored only once its entry has committed, in the log and in a file that another machine can check", async () => {
  const { tenant, owner } = await newLog(1);
  await expect(
    mutate(as(owner), async (caller) => {
      await renameTenant(caller, "Never");
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  await flushAnchors();
  expect(anchoredFromSecond(tenant.id)).toEqual([2]);

  const anchor = (await readAnchors(tenant.id)).get(2);
  const elsewhere = path.join(env().BLOB_DIRECTORY, "copied.jsonl");
  writeFileSync(elsewhere, `${JSON.stringify({ ...anchor, sequence: 9 })}\n{"half`);
  expect(await verifyChainOf(db(), tenant.id, elsewhere)).toMatchObject({
    anchored: 9,
    broken: { sequence: 3 },
  });
});

test("a head is anchored once, also while a rolled-back entry is awaited", async () => {
  const { tenant, owner } = await newLog(1);
  await expect(
    mutate(as(owner), async (caller) => {
      await renameTenant(caller, "Never");
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  for (let check = 0; check < 5; check++) await flushAnchors();
  await expect.poll(() => anchoredFromSecond(tenant.id)).toEqual([2]);

  await mutate(as(owner), (caller) => renameTenant(caller, "Committed"));
  for (let check = 0; check < 5; check++) await flushAnchors();
  await expect.poll(() => anchoredFromSecond(tenant.id)).toEqual([2, 3]);
});

test("a flush ends only after one that was in progress, so that a process that ends loses no head", async () => {
  const { tenant } = await newLog(1);
  const inProgress = flushAnchors();
  await flushAnchors();
  expect(anchoredFromSecond(tenant.id)).toEqual([2]);
  await inProgress;
});

/** The sequences in a log's anchors. The first entry is left out: a slow test may anchor it too. */
function anchoredFromSecond(tenantId: string): number[] {
  const lines = readFileSync(env().AUDIT_ANCHOR_FILE, "utf8").trim().split("\n");
  return lines
    .map((line) => JSON.parse(line))
    .filter((anchor) => anchor.tenantId === tenantId && anchor.sequence >= 2)
    .map(({ sequence }) => sequence);
}

test("after a change of AUDIT_KEYS, old entries verify with the old key, and a missing key is named", async () => {
  const { owner } = await newLog(2);
  const keys = env().AUDIT_KEYS;
  const [old] = keys.splice(0, 1, randomBytes(32));
  if (!old) throw new Error("no key");
  expect(await verify(owner)).toMatchObject({
    broken: {
      sequence: 1,
      reason: `it was sealed with the key ${keyIdOf(old)}, which is not in AUDIT_KEYS`,
    },
  });
  expect(await foreignAuditKeys()).toEqual([keyIdOf(old)]);
  keys.push(old);
  await mutate(as(owner), (caller) => renameTenant(caller, "With the new key"));
  expect(await verify(owner)).toMatchObject({ entries: 4, broken: null });
  keys.splice(0, 2, old);
});

test("the role of the application appends to the audit log, and cannot change it, cut it or remove its protection", async () => {
  const { tenant } = await newLog(3);
  const ownerUrl = env().DATABASE_URL;
  const applicationUrl = new URL(ownerUrl);
  Object.assign(applicationUrl, {
    username: `app_${randomBytes(6).toString("hex")}`,
    password: randomBytes(12).toString("hex"),
  });
  expect(await grantApplicationRole(ownerUrl, ownerUrl)).toBe(false);
  await expect(grantApplicationRole(ownerUrl, applicationUrl.href)).rejects.toThrow(
    "does not exist",
  );
  expect(
    await grantApplicationRole(ownerUrl, applicationUrl.href, {
      password: applicationUrl.password,
    }),
  ).toBe(true);

  const client = new pg.Client({ connectionString: applicationUrl.href });
  await client.connect();
  const own = `WHERE tenant_id = '${tenant.id}'`;
  const refused = [
    `UPDATE audit_entries SET actor_id = 'usr_1' ${own}`,
    `DELETE FROM audit_entries ${own}`,
    `DELETE FROM tenants WHERE id = '${tenant.id}'`,
    `SELECT delete_audit_entries('${tenant.id}', 1)`,
    "UPDATE deleted_tenants SET deleted_rows = 0",
    "DELETE FROM deleted_tenants",
    "TRUNCATE audit_entries",
    "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
    "DROP TRIGGER audit_entries_append_only ON audit_entries",
    "DROP TABLE audit_entries",
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
    "CREATE TRIGGER mine BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change()",
    "CREATE FUNCTION public.right(name, int) RETURNS text LANGUAGE sql AS $$SELECT 'mine'$$",
    "SET session_replication_role = replica",
    "DELETE FROM _prisma_migrations",
    "COPY audit_entries TO PROGRAM 'cat'",
    `SET ROLE ${new URL(ownerUrl).username}`,
  ];
  for (const statement of refused) {
    const outcome = await client.query(statement).then(
      () => "done",
      ({ code }: { code: string }) => code,
    );
    // P0001: without a receipt, the tenant's entries cannot be deleted.
    expect([statement, outcome]).toEqual([
      statement,
      statement.includes(tenant.id) && !statement.includes(own) ? "P0001" : "42501",
    ]);
  }
  const columns =
    "actor_type, actor_id, actor_name, action, target_id, environment, changes, address, request_id, previous_hash, hash, key_id, created_at";
  const copy = `INSERT INTO audit_entries (tenant_id, sequence, ${columns})
    SELECT tenant_id, sequence + 100, ${columns} FROM audit_entries ${own} LIMIT 1`;
  expect((await client.query(copy)).rowCount).toBe(1);
  for (const statement of ["ANALYZE tenants", "SELECT 1 FROM _prisma_migrations"])
    await client.query(statement);
  await client.end();

  // A function of its own in the schema could be called by those that run as the owner.
  const role = client.escapeIdentifier(applicationUrl.username);
  await pool().query(`GRANT CREATE ON SCHEMA public TO ${role}`);
  expect(await grantApplicationRole(ownerUrl, applicationUrl.href)).toBe(true);
  await pool().query("GRANT CREATE ON SCHEMA public TO PUBLIC");
  const granted = grantApplicationRole(ownerUrl, applicationUrl.href);
  await expect(granted).rejects.toThrow('REVOKE CREATE ON SCHEMA "public" FROM PUBLIC');
  await pool().query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
});

test("an untouched log verifies, whatever it contains", async () => {
  const { tenant, owner } = await newOrganization();
  const changes = {
    before: {
      name: "Zoë \u2028 'quotes' \"and\" \\ 東京 😀",
      ratio: 0.1,
      big: 1e21,
      nothing: null,
    },
    after: { list: [3, 1, { b: 1, a: 2 }] },
  };
  await mutate(as(owner), (caller) =>
    recordAudit(caller, { action: "webhook.updated", targetId: "whk_1", changes }),
  );
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      mutate(as(owner), (caller) => renameTenant(caller, `Name ${number}`)),
    ),
  );
  expect(await verify(owner)).toMatchObject({ entries: 22, broken: null });
  const { owner: stranger } = await newOrganization();
  expect(await verify(stranger)).toMatchObject({ entries: 1, broken: null });
  expect(await db().auditEntry.count({ where: { tenantId: tenant.id } })).toBe(22);
});

test("the log is filtered by actor, action and time, paginated newest first, and hidden from other organizations", async () => {
  const { tenant, owner } = await newLog(40);
  const admin = await newMember(tenant.id, "ADMIN");
  await mutate(as(admin), (caller) => renameTenant(caller, "By the admin"));
  const caller = reader(as(owner));

  const first = await listAuditEntries(caller, {});
  const second = await listAuditEntries(caller, { cursor: Number(first.nextCursor) });
  expect([...first.data, ...second.data].map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 42 }, (_, index) => 42 - index),
  );
  expect(second.nextCursor).toBeUndefined();

  expect((await listAuditEntries(caller, { actor: admin.id })).data).toMatchObject([
    { changes: { after: { name: "By the admin" } } },
  ]);
  expect((await listAuditEntries(caller, { action: "organization.created" })).data).toMatchObject([
    { sequence: 1, environment: null },
  ]);
  expect((await listAuditEntries(caller, { from: new Date(Date.now() + 60_000) })).data).toEqual(
    [],
  );
  expect((await listAuditEntries(caller, { to: new Date(Date.now() - 3_600_000) })).data).toEqual(
    [],
  );

  const exported = [];
  for await (const batch of exportAuditEntries(caller, {})) exported.push(...batch);
  expect(exported).toHaveLength(42);

  const { owner: stranger } = await newOrganization();
  expect((await listAuditEntries(reader(as(stranger)), {})).data).toHaveLength(1);
});

test.each(["MEMBER", "VIEWER"] as const)("a %s reads no audit log", async (role) => {
  const { tenant } = await newOrganization();
  const caller = reader(as(await newMember(tenant.id, role)));
  await expect(listAuditEntries(caller, {})).rejects.toThrow(RoleMissing);
  await expect(exportAuditEntries(caller, {}).next()).rejects.toThrow(RoleMissing);
  await expect(verifyAuditChain(caller)).rejects.toThrow(RoleMissing);
});

test("renaming oneself leaves an entry with both names in the log of each organization, and earlier entries keep the earlier name", async () => {
  const { tenant, owner } = await newOrganization();
  const elsewhere = await newOrganization();
  await db().membership.create({
    data: {
      tenantId: elsewhere.tenant.id,
      userId: owner.id,
      role: "MEMBER",
      createdAt: new Date(),
    },
  });
  await mutate(as(owner), (caller) => renameTenant(caller, "Before"));

  await mutate(as(owner), (caller) => renameUser(caller, "Countess"));
  await mutate(as(owner), (caller) => renameUser(caller, "Countess"));
  await mutate(as(owner), (caller) => renameTenant(caller, "After"));

  const { data } = await listAuditEntries(reader(as(owner)), {});
  expect(data.map(({ action, actorName, changes }) => [action, actorName, changes])).toEqual([
    ["organization.renamed", "Countess", { before: { name: "Before" }, after: { name: "After" } }],
    ["user.renamed", "Ada", { before: { name: "Ada" }, after: { name: "Countess" } }],
    ["organization.renamed", "Ada", expect.anything()],
    ["organization.created", "Ada", expect.anything()],
  ]);
  expect(await auditOf(elsewhere.tenant.id)).toContainEqual(
    expect.objectContaining({ action: "user.renamed", actorId: owner.id }),
  );
  expect(await verify(owner)).toMatchObject({ entries: 4, broken: null });

  await tamper(
    `UPDATE audit_entries SET actor_name = 'Mallory' WHERE tenant_id = $1 AND sequence = 2`,
    [tenant.id],
  );
  expect(await verify(owner)).toMatchObject({ broken: { sequence: 2, reason: "it was altered" } });
});
