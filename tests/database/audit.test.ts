import { expect, test } from "vitest";
import { exportAuditEntries, listAuditEntries, recordAudit, verifyAuditChain } from "@/lib/audit/service";
import { RoleMissing } from "@/lib/auth/roles";
import { mutate, reader } from "@/lib/caller";
import { db, pool } from "@/lib/db";
import { renameTenant } from "@/lib/tenants/service";
import { as, newMember, newOrganisation, type TestPerson } from "../support/people";

/** A log of `count` entries and one more, that the organisation was made. */
async function newLog(count: number) {
  const { tenant, owner } = await newOrganisation();
  for (let number = 1; number <= count; number++) await mutate(as(owner), (caller) => renameTenant(caller, `Name ${number}`));
  return { tenant, owner };
}

const verify = (person: TestPerson) => verifyAuditChain(reader(as(person)));

/** As somebody could who has the database itself. */
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

test("the database refuses to change or delete an entry", async () => {
  const { tenant, owner } = await newLog(1);
  await expect(db().auditEntry.updateMany({ where: { tenantId: tenant.id }, data: { actorId: "usr_1" } })).rejects.toThrow("append-only");
  await expect(db().auditEntry.deleteMany({ where: { tenantId: tenant.id } })).rejects.toThrow("append-only");
  expect(await verify(owner)).toEqual({ entries: 2, broken: null });
});

test.each([
  ["the actor", "actor_id = 'usr_somebody_else'"],
  ["the action", "action = 'member.removed'"],
  ["what changed", `changes = '{"after": {"name": "Another"}}'`],
  ["the time", "created_at = created_at + interval '1 millisecond'"],
  ["the address", "address = '198.51.100.1'"],
  ["the hash", "hash = sha256('forged')"],
])("an entry whose %s was altered is named", async (_title, change) => {
  const { tenant, owner } = await newLog(5);
  await tamper(`UPDATE audit_entries SET ${change} WHERE tenant_id = $1 AND sequence = 3`, [tenant.id]);
  expect(await verify(owner)).toEqual({ entries: 2, broken: { sequence: 3, reason: "it was altered" } });
});

test("an entry that was taken out is named, and one that was forged whole shows by the next one", async () => {
  const { tenant, owner } = await newLog(5);
  await tamper("DELETE FROM audit_entries WHERE tenant_id = $1 AND sequence = 4", [tenant.id]);
  expect(await verify(owner)).toEqual({ entries: 3, broken: { sequence: 4, reason: "it is missing" } });

  await tamper("UPDATE audit_entries SET sequence = sequence - 1 WHERE tenant_id = $1 AND sequence > 4", [tenant.id]);
  expect(await verify(owner)).toEqual({ entries: 3, broken: { sequence: 4, reason: "it does not follow from the entry before it" } });
});

test("a log that nobody touched is whole, whatever is in it", async () => {
  const { tenant, owner } = await newOrganisation();
  const changes = {
    before: { name: "Zoë \u2028 'quotes' \"and\" \\ 東京 😀", ratio: 0.1, big: 1e21, nothing: null },
    after: { list: [3, 1, { b: 1, a: 2 }] },
  };
  await mutate(as(owner), (caller) => recordAudit(caller, { action: "webhook.updated", targetId: "whk_1", changes }));
  await Promise.all(Array.from({ length: 20 }, (_, number) => mutate(as(owner), (caller) => renameTenant(caller, `Name ${number}`))));
  expect(await verify(owner)).toEqual({ entries: 22, broken: null });
  const { owner: stranger } = await newOrganisation();
  expect(await verify(stranger)).toEqual({ entries: 1, broken: null });
  expect(await db().auditEntry.count({ where: { tenantId: tenant.id } })).toBe(22);
});

test("the log is read by actor, action and time, in pages, newest first, and by nobody else", async () => {
  const { tenant, owner } = await newLog(40);
  const admin = await newMember(tenant.id, "ADMIN");
  await mutate(as(admin), (caller) => renameTenant(caller, "By the admin"));
  const caller = reader(as(owner));

  const first = await listAuditEntries(caller, {});
  const second = await listAuditEntries(caller, { cursor: Number(first.nextCursor) });
  expect([...first.data, ...second.data].map(({ sequence }) => sequence)).toEqual(Array.from({ length: 42 }, (_, index) => 42 - index));
  expect(second.nextCursor).toBeUndefined();

  expect((await listAuditEntries(caller, { actor: admin.id })).data).toMatchObject([{ changes: { after: { name: "By the admin" } } }]);
  expect((await listAuditEntries(caller, { action: "organisation.created" })).data).toMatchObject([{ sequence: 1, environment: null }]);
  expect((await listAuditEntries(caller, { from: new Date(Date.now() + 60_000) })).data).toEqual([]);
  expect((await listAuditEntries(caller, { to: new Date(Date.now() - 3_600_000) })).data).toEqual([]);

  const exported = [];
  for await (const batch of exportAuditEntries(caller, {})) exported.push(...batch);
  expect(exported).toHaveLength(42);

  const { owner: stranger } = await newOrganisation();
  expect((await listAuditEntries(reader(as(stranger)), {})).data).toHaveLength(1);
});

test.each(["MEMBER", "VIEWER"] as const)("a %s reads no audit log", async (role) => {
  const { tenant } = await newOrganisation();
  const caller = reader(as(await newMember(tenant.id, role)));
  await expect(listAuditEntries(caller, {})).rejects.toThrow(RoleMissing);
  await expect(exportAuditEntries(caller, {}).next()).rejects.toThrow(RoleMissing);
  await expect(verifyAuditChain(caller)).rejects.toThrow(RoleMissing);
});
