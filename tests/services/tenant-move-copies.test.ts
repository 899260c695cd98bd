import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordAudit } from "@/lib/audit/service";
import {
  findReversibleChange,
  otherInstallationsOf,
  undoEmailChange,
} from "@/lib/auth/email-change";
import { hashPassword } from "@/lib/auth/password";
import { signIn } from "@/lib/auth/service";
import { indexForSearch } from "@/lib/conversations/search-index";
import { mutate, withDatabase } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { newToken } from "@/lib/platform/link-token";
import { setCurrentTime } from "@/lib/platform/time";
import { deleteTenants, settlingMs } from "@/lib/tenant-deletion/delete-tenants";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { type MoveOptions, type MoveStep, moveTenant } from "@/lib/tenant-move/service";
import { abortMove, forgetCopy } from "@/lib/tenant-move/undo";
import { isReserved } from "@/lib/users/service";
import { applyMigrations } from "@/prisma/migrate";
import { examineMoves } from "@/server/admin/examine-moves";
import { ensureDatabase, type Postgres } from "@/server/embedded/postgres";
import { startTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { actInDatabase } from "../support/act-in-database";
import { as, auditOf, newAddress, newOrganization, someDevice } from "../support/people";
import { onDatabase } from "../support/replicated-postgres";

// No receipt says that nothing is left while another installation has a copy. The source is a cluster
// of its own. Both targets are databases of one cluster, and only one of them gets the copy.

let postgres: Postgres;
let second: Postgres;
const ready = createServer((_request, response) => response.end());
const ownDatabase = env().DATABASE_URL;
const gone = "postgresql://nobody@127.0.0.1:9/none";
let source: string;
let target: string;
let otherTarget: string;
let origin: string;

const actIn = (url: string) => actInDatabase({ DATABASE_URL: url });

beforeAll(async () => {
  postgres = await startTemporaryPostgres({ wal_level: "logical" });
  await ensureDatabase(postgres, "parlance");
  source = postgres.url("parlance");
  await applyMigrations(source);
  // Logical, too, so that an organization can come back.
  second = await startTemporaryPostgres({ wal_level: "logical" });
  [target, otherTarget] = [second.url("parlance"), second.url("other")];
  for (const name of ["parlance", "other"]) await ensureDatabase(second, name);
  for (const url of [target, otherTarget]) await applyMigrations(url);
  await once(ready.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${(ready.address() as AddressInfo).port}`;
  await actIn(source);
});
afterEach(() => actIn(source));
afterAll(async () => {
  await actIn(ownDatabase);
  ready.close();
  await postgres?.stop();
  await second?.stop();
});

const optionsOf = (slug: string, changed: Partial<MoveOptions> = {}): MoveOptions => ({
  ...{ slug, sourceUrl: source, replicationUrl: source, targetUrl: target, origin },
  ...{ maximumStopMs: 60_000, settleMs: 1 },
  ...changed,
});

/** A way to a database that can be cut. */
async function wayTo(url: string) {
  const sockets: Socket[] = [];
  const server = createTcpServer((client) => {
    const database = connect(Number(new URL(url).port), "127.0.0.1");
    sockets.push(client, database);
    for (const socket of [client, database]) socket.on("error", () => {});
    client.pipe(database).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const way = new URL(url);
  way.hostname = "127.0.0.1";
  way.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: way.href, cut };
}

/** The connection to one of the databases is lost at that step. */
async function moveUntil(step: MoveStep, slug: string, lost: "sourceUrl" | "targetUrl") {
  const way = await wayTo(lost === "sourceUrl" ? source : target);
  const report = (reached: MoveStep) => {
    if (reached === step) way.cut();
  };
  await expect(moveTenant(optionsOf(slug, { [lost]: way.url, report }))).rejects.toThrow();
}

async function rowsIn(url: string, tenantId: string): Promise<string[]> {
  const tables = await onDatabase<{ name: string }>(
    url,
    "SELECT table_name AS name FROM information_schema.columns JOIN pg_class c ON c.relname = table_name AND NOT c.relispartition WHERE column_name = 'tenant_id' AND table_schema = 'public' ORDER BY 1",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `SELECT 1 FROM ${name} WHERE tenant_id = '${tenantId}' LIMIT 1`;
    if ((await onDatabase(url, text)).length > 0) found.push(name);
  }
  return found;
}

/** What a move creates in PostgreSQL. A slot without a reader fills the disk of the source. */
const tracesIn = (url: string) =>
  onDatabase(
    url,
    `SELECT tgname AS name FROM pg_trigger WHERE tgname LIKE 'parlance_move%'
     UNION ALL SELECT pubname FROM pg_publication
     UNION ALL SELECT subname FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
     UNION ALL SELECT slot_name FROM pg_replication_slots WHERE database = current_database()`,
  );

let batches = 0;

/** Batches of the deletion, one a second, when every request has ended: more than it needs. */
async function runDeletion(): Promise<void> {
  setCurrentTime(() => new Date(Date.now() + settlingMs + batches * 1_000));
  try {
    for (const end = batches + 40; batches < end; batches++) {
      await deleteTenants(1_000);
      await indexForSearch(500);
    }
  } finally {
    setCurrentTime(null);
  }
}

const isWaiting = ["audit_entries", "tenant_deletions", "tenant_moves"];
const isDeleted = ["deleted_tenants"];
const copyMayExist = /was begun with another database, which may have a copy/;

test("a move is undone only in the database that has its copy, and a deletion waits for that", async () => {
  const { tenant, owner } = await newOrganization();
  await moveUntil("ordering", tenant.slug, "targetUrl");
  expect(await rowsIn(target, tenant.id)).toContain("audit_entries");

  const elsewhere = optionsOf(tenant.slug, { targetUrl: otherTarget });
  await expect(moveTenant(elsewhere)).rejects.toThrow(copyMayExist);
  await expect(abortMove(elsewhere)).rejects.toThrow(copyMayExist);
  expect(await rowsIn(otherTarget, tenant.id)).toEqual([]);
  expect(await rowsIn(source, tenant.id)).toContain("tenant_moves");

  await mutate(as(owner), (caller) => deleteOrganization(caller, tenant.slug));
  await runDeletion();
  expect(await rowsIn(source, tenant.id)).toEqual(isWaiting);
  const unreachable = optionsOf(tenant.id, { targetUrl: gone });
  await expect(abortMove(unreachable)).rejects.toThrow(
    /^The target's database cannot be reached: .* When the target is back, run the command again: it deletes the copy there\. If the target is gone for good, run it with --forget-copy\./,
  );
  expect(await tracesIn(source)).toEqual([]);
  await runDeletion();
  expect(await rowsIn(source, tenant.id)).toEqual(isWaiting);
  expect((await examineMoves()).problem).toContain(
    `the move of the organization ${tenant.id} to ${origin} was interrupted, and its database may have a copy. Run the command again, or undo the move with \`MOVE_TO_DATABASE_URL=… npm run admin -- tenant:move --tenant ${tenant.id} --abort\`. If the target is gone for good, run \`npm run admin -- tenant:move --tenant ${tenant.id} --forget-copy\``,
  );

  // As the sentence says.
  expect(await abortMove(optionsOf(tenant.id))).toEqual({ id: tenant.id, slug: tenant.id });
  expect(await rowsIn(target, tenant.id)).toEqual([]);
  expect(await tracesIn(target)).toEqual([]);
  await runDeletion();
  expect(await rowsIn(source, tenant.id)).toEqual(isDeleted);
});

test("a deletion ends once the operator declares the copy gone, and a target that comes back can still be cleaned", async () => {
  const { tenant, owner } = await newOrganization();
  await moveUntil("ordering", tenant.slug, "targetUrl");
  await mutate(as(owner), (caller) => deleteOrganization(caller, tenant.slug));
  expect(await forgetCopy({ slug: tenant.id, sourceUrl: source })).toMatchObject({ id: tenant.id });
  expect(await tracesIn(source)).toEqual([]);
  await runDeletion();
  expect(await rowsIn(source, tenant.id)).toEqual(isDeleted);
  await expect(forgetCopy({ slug: tenant.id, sourceUrl: source })).rejects.toThrow(
    `No tenant has the slug "${tenant.id}".`,
  );

  expect(await rowsIn(target, tenant.id)).toContain("audit_entries");
  await abortMove(optionsOf(tenant.id));
  expect(await rowsIn(target, tenant.id)).toEqual([]);
  expect(await tracesIn(target)).toEqual([]);
});

test("after a copy was declared gone, the organization can be moved to another database", async () => {
  const { tenant } = await newOrganization();
  await expect(forgetCopy({ slug: tenant.slug, sourceUrl: source })).rejects.toThrow(
    "No other installation is known to have a copy.",
  );
  await moveUntil("ordering", tenant.slug, "targetUrl");
  const elsewhere = optionsOf(tenant.slug, { targetUrl: otherTarget });
  await expect(moveTenant(elsewhere)).rejects.toThrow(copyMayExist);
  await forgetCopy({ slug: tenant.slug, sourceUrl: source });
  expect(await moveTenant(elsewhere)).toMatchObject({ id: tenant.id, origin });
  expect(await rowsIn(source, tenant.id)).not.toContain("tenant_moves");
  expect(await rowsIn(otherTarget, tenant.id)).not.toContain("tenant_moves");
});

test("a move creates only weeks in the target that its worker does not drop yet", async () => {
  const { tenant } = await newOrganization();
  await moveTenant(optionsOf(tenant.slug));
  const weeks = (of: string) => onDatabase(target, `SELECT FROM ${of}`);
  expect((await weeks("weeks_of('events')")).length).toBeGreaterThan(5);
  expect(await weeks("expired_weeks('events', now())")).toEqual([]);
});

test("what the target adds to a lane comes after the deliveries that were moved", async () => {
  const { tenant } = await newOrganization();
  const [moved] = await onDatabase<{ position: string }>(
    source,
    "SELECT setval('delivery_positions', 7000000) AS position",
  );
  await moveTenant(optionsOf(tenant.slug));
  const [added] = await onDatabase<{ position: string }>(
    target,
    "SELECT nextval('delivery_positions') AS position",
  );
  expect(Number(added?.position)).toBeGreaterThan(Number(moved?.position));

  // Never back.
  const { tenant: next } = await newOrganization();
  await onDatabase(source, "SELECT setval('delivery_positions', 1)");
  await moveTenant(optionsOf(next.slug));
  const [later] = await onDatabase<{ position: string }>(
    target,
    "SELECT nextval('delivery_positions') AS position",
  );
  expect(Number(later?.position)).toBeGreaterThan(Number(added?.position));
});

test("an organization that is deleted after its move gets no receipt before the rows that it left are deleted", async () => {
  const { tenant, owner } = await newOrganization();
  await moveUntil("cleaning", tenant.slug, "sourceUrl");
  expect(await rowsIn(source, tenant.id)).toContain("audit_entries");
  await expect(forgetCopy({ slug: tenant.slug, sourceUrl: source })).rejects.toThrow(
    "The organization has been switched to the target.",
  );

  await actIn(target);
  const back = { sourceUrl: target, targetUrl: source };
  await expect(moveTenant(optionsOf(tenant.slug, back))).rejects.toThrow(
    "the one that it left may still have its rows. Run the command again there.",
  );
  await mutate(as(owner), (caller) => deleteOrganization(caller, tenant.slug));
  await runDeletion();
  expect(await rowsIn(target, tenant.id)).toEqual(isWaiting);
  expect((await examineMoves()).problem).toContain(
    `the organization ${tenant.id} was moved to this installation, but the one that it left may still have its rows. Run \`tenant:move\` again there, or, if that installation is gone for good, \`npm run admin -- tenant:move --tenant ${tenant.id} --forget-copy\` here`,
  );

  expect(await moveTenant(optionsOf(tenant.slug))).toMatchObject({ id: tenant.id });
  expect(await rowsIn(source, tenant.id)).not.toContain("audit_entries");
  await runDeletion();
  expect(await rowsIn(target, tenant.id)).toEqual(isDeleted);
});

const password = "correct horse battery";

/** From the target to the source. */
async function moveBack(slug: string) {
  await actIn(target);
  const back = { sourceUrl: target, replicationUrl: target, targetUrl: source };
  return moveTenant(optionsOf(slug, back));
}

test("an organization can come back after its members signed in at the installation that it left", async () => {
  const { tenant, owner } = await newOrganization(await hashPassword(password));
  const log = await auditOf(tenant.id);
  await moveTenant(optionsOf(tenant.slug));
  expect(await signIn({ email: owner.email, password }, someDevice)).toMatchObject({
    outcome: "signed-in",
  });
  expect(await auditOf(tenant.id)).toEqual([]);
  await moveBack(tenant.slug);
  await actIn(source);
  expect(await auditOf(tenant.id)).toEqual(log);
});

test("what an earlier version wrote after an organization had left does not keep it from coming back", async () => {
  const { tenant, owner } = await newOrganization();
  await moveTenant(optionsOf(tenant.slug));
  await db().$transaction((transaction) =>
    recordAudit(withDatabase(as(owner), transaction), {
      action: "user.signed_in",
      targetId: owner.id,
      changes: {},
    }),
  );
  expect(await moveBack(tenant.slug)).toMatchObject({ id: tenant.id });
});

test("the old address of a member can reverse a change of address at both installations", async () => {
  const { tenant, owner } = await newOrganization();
  const { token, hash } = newToken();
  const [from, at] = [newAddress(), new Date()];
  await db().emailChange.create({
    data: {
      ...{ tokenHash: newToken().hash, userId: owner.id, from, to: owner.email },
      ...{ requestedAt: at, expiresAt: at, confirmedAt: at },
      ...{ undoHash: hash, undoUntil: new Date(at.getTime() + 3_600_000) },
    },
  });
  expect(await otherInstallationsOf(token)).toEqual([]);
  await moveTenant(optionsOf(tenant.slug));
  expect(await findReversibleChange(token)).toMatchObject({ from });
  expect(await otherInstallationsOf(token)).toEqual([origin]);

  await actIn(target);
  expect(await findReversibleChange(token)).toMatchObject({ from });
  expect(await otherInstallationsOf(token)).toEqual([]);
  expect(await isReserved(db(), from)).toBe(true);
  expect(await undoEmailChange(token, someDevice)).toBe(true);
});
