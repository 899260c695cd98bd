import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { encode } from "next-auth/jwt";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authSecret } from "@/lib/auth/auth-secret";
import { mutate } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { applyMigrations } from "@/prisma/migrate";
import { grantApplicationRole } from "@/prisma/roles";
import { ensureDatabase, type Postgres } from "@/server/embedded/postgres";
import { startTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { actInDatabase } from "../support/act-in-database";
import { runAdmin } from "../support/admin";
import { newKey, type TestTenant } from "../support/api";
import { openStream } from "../support/event-stream";
import { as, newOrganization, newPerson, newSession } from "../support/people";
import { type RunningProcess, startWeb, startWorker } from "../support/processes";
import { type Receiver, startReceiver } from "../support/receiver";
import { onDatabase } from "../support/replicated-postgres";
import { type Client, newClient } from "./client";
import type { SentRequest } from "./history";

// Two complete installations. An organization moves from one to the other and back while programs
// write to it, follow its events and receive its webhooks, all at the address of the first one.

type Cell = {
  postgres: Postgres;
  ownerUrl: string;
  databaseUrl: string;
  web: RunningProcess & { url: string };
  worker: RunningProcess;
};

let cells: { a: Cell; b: Cell };
const ownDatabase = env().DATABASE_URL;

async function startCell(): Promise<Cell> {
  const postgres = await startTemporaryPostgres({ wal_level: "logical" });
  await ensureDatabase(postgres, "parlance");
  const ownerUrl = postgres.url("parlance");
  await applyMigrations(ownerUrl);
  const application = new URL(ownerUrl);
  application.username = "application";
  application.password = randomBytes(8).toString("hex");
  await grantApplicationRole(ownerUrl, application.href, { password: application.password });
  const databaseUrl = application.href;
  const environment = { DATABASE_URL: databaseUrl, WEBHOOK_RETRY_SCHEDULE: "1,1,1,1,1,1,1" };
  const [web, worker] = await Promise.all([startWeb(environment), startWorker(environment)]);
  return { postgres, ownerUrl, databaseUrl, web, worker };
}

beforeAll(async () => {
  const [a, b] = await Promise.all([startCell(), startCell()]);
  cells = { a, b };
});
afterAll(async () => {
  await actInDatabase({ DATABASE_URL: ownDatabase });
  const all = Object.values(cells ?? {});
  await Promise.all(all.flatMap(({ web, worker }) => [web.end("SIGKILL"), worker.end("SIGKILL")]));
  await Promise.all(all.map(({ postgres }) => postgres.stop()));
});

const actIn = (cell: Cell) => actInDatabase({ DATABASE_URL: cell.ownerUrl });

const unlimited = { rateLimitPerMinute: 1_000_000 };

type Write = { request: SentRequest; text: string; id: string };

/** Programs that write, each change with a key of its own, and repeat it until it succeeds. */
function startWriters(client: Client, count: number, name: string) {
  const writes: Write[] = [];
  const violations: string[] = [];
  let isOver = false;
  let retries = 0;

  async function change(method: "POST" | "PATCH", path: string, body: object): Promise<Write> {
    const key = `${name} ${writes.length} ${randomBytes(6).toString("hex")}`;
    const request: SentRequest = { method, path, body: JSON.stringify(body), key };
    const { status, text } = await client.insist(request);
    if (status !== 201 && status !== 200)
      violations.push(`${method} ${path} got ${status}: ${text}`);
    const write = { request, text, id: JSON.parse(text).id as string };
    writes.push(write);
    return write;
  }

  const writers = Array.from({ length: count }, async (_, number) => {
    for (let turn = 0; !isOver && violations.length === 0; turn++) {
      const subject = `${name} ${number} ${turn}`;
      const { id } = await change("POST", "/conversations", { channelId: "web", subject });
      await change("POST", `/conversations/${id}/messages`, { text: `Message of ${subject}` });
      await change("PATCH", `/conversations/${id}`, { priority: "HIGH", tags: [name] });
      // So that the receivers keep up on a busy machine.
      await sleep(20);
    }
  });
  return {
    writes,
    violations,
    onRetry: () => {
      retries++;
    },
    retries: () => retries,
    acknowledge: async (more: number) => {
      const wanted = writes.length + more;
      await expect
        .poll(() => writes.length >= wanted || violations.length > 0, { interval: 5 })
        .toBe(true);
      expect(violations).toEqual([]);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(writers);
    },
  };
}

/** Reads the feed page by page, and remembers only the last id. It stops by itself at `until`. */
function startFollower(client: Client, ids: string[] = [], until = Number.POSITIVE_INFINITY) {
  const violations: string[] = [];
  let isOver = false;
  const loop = (async () => {
    while (!isOver && violations.length === 0 && ids.length < until) {
      const after = ids.at(-1);
      const { status, text } = await client.insist({
        method: "GET",
        path: `/events?order=asc&limit=100${after ? `&cursor=${after}` : ""}`,
        body: null,
        key: null,
      });
      if (status !== 200) violations.push(`the feed after ${after} got ${status}: ${text}`);
      else for (const { id } of JSON.parse(text).data as { id: string }[]) ids.push(id);
      await sleep(5);
    }
  })();
  return {
    ids,
    violations,
    ended: loop,
    stop: () => {
      isOver = true;
      return loop;
    },
  };
}

/** Follows the stream, and reconnects after the last id. */
function startStreamFollower(tenant: TestTenant, url: string) {
  const ids: string[] = [];
  let isOver = false;
  let close = () => {};
  let connections = 0;
  const loop = (async () => {
    let last = "start";
    while (!isOver) {
      const stream = await openStream(tenant, "GET", `/events/stream?cursor=${last}`, {
        url,
      }).catch(() => null);
      if (stream?.status !== 200) {
        stream?.close();
        await sleep(20);
        continue;
      }
      connections++;
      close = stream.close;
      for (let block = await stream.block(); block; block = await stream.block()) {
        if (block.event) ids.push(block.event.id);
        last = stream.lastId() ?? last;
      }
      stream.close();
    }
  })();
  return {
    ids,
    connections: () => connections,
    stop: () => {
      isOver = true;
      close();
      return loop;
    },
  };
}

type Outcome = { exitCode: number | null; steps: string[]; output: string; problem: string };

/** @param killAt the step at which the command is killed */
async function move(
  from: Cell,
  to: Cell,
  slug: string,
  { killAt, flags = [] }: { killAt?: string; flags?: string[] } = {},
): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    [
      "dist/admin.js",
      ...["tenant:move", "--tenant", slug, "--origin", to.web.url],
      ...["--settle", "3", ...flags],
    ],
    {
      env: {
        ...process.env,
        DATABASE_URL: from.databaseUrl,
        MIGRATION_DATABASE_URL: from.ownerUrl,
        MOVE_TO_DATABASE_URL: to.ownerUrl,
      },
    },
  );
  let output = "";
  let problem = "";
  child.stdout.on("data", (part) => {
    output += part;
  });
  child.stderr.on("data", (part) => {
    problem += part;
    if (killAt && problem.split("\n").includes(killAt)) child.kill("SIGKILL");
  });
  const [exitCode] = (await once(child, "close")) as [number | null];
  const steps = problem.trim().split("\n");
  return { exitCode, steps, output, problem };
}

const idsIn = (receiver: Receiver) =>
  new Set(receiver.requests.map(({ body }) => (JSON.parse(body) as { id: string }).id));

async function rowsLeft(url: string, tenantId: string): Promise<Record<string, number>> {
  const tables = await onDatabase<{ name: string }>(
    url,
    "SELECT table_name AS name FROM information_schema.columns JOIN pg_class c ON c.relname = table_name AND NOT c.relispartition WHERE column_name = 'tenant_id' AND table_schema = 'public'",
  );
  const left: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await onDatabase<{ count: number }>(
      url,
      `SELECT count(*)::int AS count FROM ${name} WHERE tenant_id = '${tenantId}'`,
    );
    if (row?.count) left[name] = row.count;
  }
  return left;
}

test("an organization that is moved under load, with the command killed at every step, loses, doubles and misses nothing", {
  timeout: 1_200_000,
}, async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant, owner } = await newOrganization();
  const key = await newKey(tenant, unlimited);
  const other = await newKey((await newOrganization()).tenant, unlimited);
  const [receiver, otherReceiver] = [await startReceiver(), await startReceiver()];
  const refused: string[] = [];
  let retry = () => {};
  const client = newClient({ url: a.web.url, key: key.key, onRetry: () => retry() });
  const otherClient = newClient({
    url: a.web.url,
    key: other.key,
    onRetry: () => refused.push("a request of the other organization was refused"),
  });
  for (const [at, to] of [
    [client, receiver],
    [otherClient, otherReceiver],
  ] as const) {
    const body = JSON.stringify({ url: to.url, events: ["*"] });
    const { status } = await at.insist({ method: "POST", path: "/webhooks", body, key: "webhook" });
    expect(status).toBe(201);
  }

  const writers = startWriters(client, 4, "moved");
  retry = writers.onRetry;
  const others = startWriters(otherClient, 2, "other");
  const follower = startFollower(client);
  const streaming = startStreamFollower(key, a.web.url);
  await writers.acknowledge(300);
  // Far behind during both moves: its cursor is in the middle of the feed.
  const slow = startFollower(client, [], 100);
  await slow.ended;

  // Until the switch, a command that is killed changes nothing. Writes continue without any help.
  for (const [killAt, isAborted] of [
    ["copying", true],
    ["ordering", false],
    ["draining", true],
    ["stopped", false],
    ["comparing", true],
  ] as const) {
    const killed = await move(a, b, tenant.slug, { killAt });
    expect(killed.exitCode, killed.problem).toBeNull();
    await writers.acknowledge(30);
    if (!isAborted) continue;
    const aborted = await move(a, b, tenant.slug, { flags: ["--abort"] });
    expect(aborted.exitCode, aborted.problem).toBe(0);
    expect(await rowsLeft(b.ownerUrl, tenant.id)).toEqual({});
    expect(await traces(a), "in the source").toEqual(nothing);
    expect(await traces(b), "in the target").toEqual(nothing);
  }

  // After it, the next run completes the move.
  for (const killAt of ["opening", "cleaning"]) {
    const killed = await move(a, b, tenant.slug, { killAt });
    expect(killed.exitCode, killed.problem).toBeNull();
  }
  const refusal = await move(a, b, tenant.slug, { flags: ["--abort"] });
  expect(refusal).toMatchObject({ exitCode: 1 });
  expect(refusal.problem).toContain("has been switched to the target");
  const completed = await move(a, b, tenant.slug);
  expect(completed.exitCode, completed.problem).toBe(0);
  await writers.acknowledge(100);
  expect(Object.keys(await rowsLeft(a.ownerUrl, tenant.id)).sort()).toEqual([
    "api_keys",
    "memberships",
  ]);
  expect(await traces(a)).toEqual(nothing);
  expect(await traces(b)).toEqual(nothing);

  // The dashboard leads to the other installation.
  const { id: sessionId } = await newSession(owner.id);
  const token = await encode({ token: { sessionId }, secret: authSecret() });
  const page = await fetch(`${a.web.url}/${tenant.slug}/test`, {
    headers: { cookie: `next-auth.session-token=${token}` },
    redirect: "manual",
  });
  expect(page.headers.get("location")).toBe(`${b.web.url}/${tenant.slug}/test`);

  // On the way back, the command is killed once more. The first installation forwards as before.
  const killedBack = await move(b, a, tenant.slug, { killAt: "comparing" });
  expect(killedBack.exitCode, killedBack.problem).toBeNull();
  const abortedBack = await move(b, a, tenant.slug, { flags: ["--abort"] });
  expect(abortedBack.exitCode, abortedBack.problem).toBe(0);
  await writers.acknowledge(30);
  expect(await traces(a)).toEqual(nothing);

  // And back, without interruption.
  const back = await move(b, a, tenant.slug);
  expect(back.exitCode, back.problem).toBe(0);
  const figures = JSON.parse(back.output) as { rows: number; copiedMs: number; stoppedMs: number };
  expect(await rowsLeft(b.ownerUrl, tenant.id)).toMatchObject({ api_keys: 1 });
  await writers.acknowledge(100);
  await Promise.all([writers.stop(), others.stop()]);
  process.stdout.write(
    `moved ${figures.rows} rows: copied in ${figures.copiedMs} ms, writes stopped for ${figures.stoppedMs} ms; ${writers.writes.length} acknowledged writes, ${writers.retries()} requests repeated, ${streaming.connections()} streams\n`,
  );

  expect([...writers.violations, ...others.violations, ...follower.violations, ...refused]).toEqual(
    [],
  );

  // Nothing is lost and nothing is doubled.
  const conversations = await onDatabase<{ id: string }>(
    a.ownerUrl,
    `SELECT id FROM conversations WHERE tenant_id = '${tenant.id}' UNION ALL SELECT id FROM messages WHERE tenant_id = '${tenant.id}'`,
  );
  const created = writers.writes.filter(({ request }) => request.method === "POST");
  expect(conversations.map(({ id }) => id).sort()).toEqual(created.map(({ id }) => id).sort());
  for (const { request, text } of writers.writes.filter((_, index) => index % 10 === 0)) {
    const replayed = await client.insist(request);
    expect(replayed).toMatchObject({ text, isReplay: true });
  }

  // Both followers saw every event once, and the receiver got each.
  const events = await onDatabase<{ id: string }>(
    a.ownerUrl,
    `SELECT id FROM events WHERE tenant_id = '${tenant.id}' ORDER BY id`,
  );
  const expected = events.map(({ id }) => id);
  expect(expected.length).toBeGreaterThanOrEqual(writers.writes.length);
  await expect.poll(() => follower.ids.length).toBeGreaterThanOrEqual(expected.length);
  await expect.poll(() => streaming.ids.length).toBeGreaterThanOrEqual(expected.length);
  const resumed = startFollower(client, slow.ids, expected.length);
  await Promise.all([follower.stop(), streaming.stop(), resumed.ended]);
  expect([...slow.violations, ...resumed.violations]).toEqual([]);
  expect([...slow.ids].sort()).toEqual(expected);
  expect([...follower.ids].sort()).toEqual(expected);
  expect([...streaming.ids].sort()).toEqual(expected);
  const undelivered = `SELECT count(*)::int AS left FROM deliveries WHERE status <> 'DELIVERED'`;
  await expect.poll(() => onDatabase(a.ownerUrl, undelivered)).toEqual([{ left: 0 }]);
  expect([...idsIn(receiver)].sort()).toEqual(expected);

  // The search was rebuilt.
  const entries = `SELECT count(*)::int AS count FROM search_entries WHERE tenant_id = '${tenant.id}'`;
  await expect.poll(() => onDatabase(a.ownerUrl, entries)).toEqual([{ count: created.length }]);
  await Promise.all([client.close(), otherClient.close(), receiver.close(), otherReceiver.close()]);
});

/** What a move creates and must not leave behind. */
const nothing = { triggers: 0, publications: 0, subscriptions: 0, slots: 0, moves: 0 };

async function traces({ ownerUrl }: Cell) {
  const [found] = await onDatabase(
    ownerUrl,
    `SELECT (SELECT count(*)::int FROM pg_trigger WHERE tgname LIKE 'parlance_move%') AS triggers,
       (SELECT count(*)::int FROM pg_publication) AS publications, (SELECT count(*)::int FROM pg_subscription) AS subscriptions,
       (SELECT count(*)::int FROM pg_replication_slots) AS slots, (SELECT count(*)::int FROM tenant_moves) AS moves`,
  );
  return found;
}

test("a move is refused with a sentence if the target has another account of a member", async () => {
  const { a, b } = cells;
  await actIn(b);
  const person = await newPerson();
  await actIn(a);
  const { tenant, owner } = await newOrganization();
  await onDatabase(
    a.ownerUrl,
    `UPDATE users SET email = '${person.email}' WHERE id = '${owner.id}'`,
  );
  const refused = await move(a, b, tenant.slug);
  expect(refused.exitCode).toBe(1);
  expect(refused.problem).toContain(`The target already has other accounts for ${person.email}.`);
  expect(await traces(a)).toEqual(nothing);
  expect(await traces(b)).toEqual(nothing);
});

test("an account that an aborted move left in the target does not bring back what was removed from it since", async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant, owner } = await newOrganization();
  const account = await onDatabase<{ row: object }>(
    a.ownerUrl,
    `SELECT to_jsonb(u) AS row FROM users u WHERE id = '${owner.id}'`,
  );
  const row = JSON.stringify(account[0]?.row).replaceAll("'", "''");
  await onDatabase(
    b.ownerUrl,
    `INSERT INTO users SELECT * FROM jsonb_populate_record(NULL::users, '${row}')`,
  );
  const addCode = (cell: Cell, hash: string) =>
    onDatabase(
      cell.ownerUrl,
      `INSERT INTO recovery_codes (user_id, hash) VALUES ('${owner.id}', '${hash}')`,
    );
  await addCode(b, "removed");
  await addCode(a, "valid");
  const moved = await move(a, b, tenant.slug);
  expect(moved.exitCode, moved.problem).toBe(0);
  const codes = `SELECT convert_from(hash, 'UTF8') AS hash FROM recovery_codes WHERE user_id = '${owner.id}'`;
  expect(await onDatabase(b.ownerUrl, codes)).toEqual([{ hash: "valid" }]);
});

test("a move whose target is gone can be aborted: the source keeps neither a slot nor a trigger", async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant } = await newOrganization();
  const killed = await move(a, b, tenant.slug, { killAt: "ordering" });
  expect(killed.exitCode, killed.problem).toBeNull();
  expect(await traces(a)).not.toEqual(nothing);
  const findings = async (cell: Cell) =>
    (await runAdmin(["doctor"], { DATABASE_URL: cell.databaseUrl })).output;
  expect(await findings(a)).toMatch(
    new RegExp(
      `WRONG  moves: the move of the organization ${tenant.slug} to \\S+ was interrupted\\. It left a publication, a replication slot, triggers(, refused writes for some more seconds)?\\. .*undo the move with .* --tenant ${tenant.slug} --abort`,
    ),
  );
  expect(await findings(b)).toMatch(
    /WRONG {2}moves: a move of the organization \S+ to this installation was interrupted\. It left a subscription, triggers and rows that were copied/,
  );
  const gone = { ...b, ownerUrl: "postgresql://nobody@127.0.0.1:9/none" };
  const aborted = await move(a, gone, tenant.slug, { flags: ["--abort"] });
  expect(aborted.exitCode).toBe(1);
  expect(aborted.problem).toContain("The target's database cannot be reached");
  expect(aborted.problem).toContain("When the target is back, run the command again");
  // The source remembers that the target may have a copy.
  expect(await traces(a)).toEqual({ ...nothing, moves: 1 });
  expect(await findings(a)).toContain(
    `npm run admin -- tenant:move --tenant ${tenant.slug} --forget-copy`,
  );

  const again = await move(a, b, tenant.slug, { flags: ["--abort"] });
  expect(again.exitCode, again.problem).toBe(0);
  expect(await traces(a)).toEqual(nothing);
  expect(await traces(b)).toEqual(nothing);
  expect(await rowsLeft(b.ownerUrl, tenant.id)).toEqual({});
  for (const cell of [a, b])
    expect(await findings(cell)).toContain("moves: no organization is being moved");
});

/** Something in many tables, and what the worker sends. */
async function newWrittenTenant({ web }: Cell) {
  const { tenant, owner } = await newOrganization();
  const key = await newKey(tenant, unlimited);
  const receiver = await startReceiver();
  const client = newClient({ url: web.url, key: key.key });
  const post = async (path: string, body: object) => {
    const sent = {
      method: "POST" as const,
      path,
      body: JSON.stringify(body),
      key: randomBytes(6).toString("hex"),
    };
    const { status, text } = await client.insist(sent);
    expect(status).toBe(201);
    return JSON.parse(text) as { id: string };
  };
  await post("/webhooks", { url: receiver.url, events: ["*"] });
  const { id: customerId } = await post("/customers", { name: "Ada" });
  for (let number = 0; number < 20; number++) {
    const { id } = await post("/conversations", { channelId: "web", customerId });
    await post(`/conversations/${id}/messages`, { text: `Message ${number}` });
  }
  const close = () => Promise.all([client.close(), receiver.close()]);
  return { tenant, owner, key, close };
}

/** The ten minutes after the request are over, and the worker continues now. */
const settleDeletion = ({ ownerUrl }: Cell, tenantId: string) =>
  onDatabase(
    ownerUrl,
    `UPDATE tenant_deletions SET requested_at = now() - interval '1 hour', next_at = now() WHERE tenant_id = '${tenantId}'`,
  );

/** Resolves once the worker has found that nothing can be deleted now but the audit log. */
async function expectUncertified(cell: Cell, tenantId: string): Promise<void> {
  await settleDeletion(cell, tenantId);
  const progress = `SELECT (SELECT count(*)::int FROM deleted_tenants WHERE tenant_id = '${tenantId}') AS receipts,
    coalesce((SELECT next_at > now() FROM tenant_deletions WHERE tenant_id = '${tenantId}'), true) AS "hasChecked"`;
  await expect
    .poll(() => onDatabase(cell.ownerUrl, progress))
    .toEqual([{ receipts: 0, hasChecked: true }]);
  expect(Object.keys(await rowsLeft(cell.ownerUrl, tenantId)).sort()).toEqual([
    "audit_entries",
    "tenant_deletions",
    "tenant_moves",
  ]);
}

async function expectDeleted(cell: Cell, tenantId: string): Promise<void> {
  await settleDeletion(cell, tenantId);
  await expect.poll(() => rowsLeft(cell.ownerUrl, tenantId)).toEqual({ deleted_tenants: 1 });
}

test("an organization whose deletion is requested while it is copied is not moved, and both installations delete it", async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant, owner, key, close } = await newWrittenTenant(a);
  const [holdsSource, holdsTarget] = [a, b].map(
    ({ ownerUrl }) => new pg.Client({ connectionString: ownerUrl }),
  ) as [pg.Client, pg.Client];
  await Promise.all([holdsSource.connect(), holdsTarget.connect()]);
  try {
    // The command waits before it copies, and then in the middle of the copy.
    await holdsSource.query("BEGIN; LOCK TABLE tenants IN ROW EXCLUSIVE MODE");
    const moving = move(a, b, tenant.slug);
    const guarded = `SELECT count(*)::int AS count FROM pg_trigger WHERE tgname LIKE 'parlance_move%' AND tgrelid = 'tenants'::regclass`;
    await expect.poll(() => onDatabase(b.ownerUrl, guarded)).toEqual([{ count: 2 }]);
    await holdsTarget.query("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE");
    await holdsSource.query("COMMIT");
    const copying = `SELECT count(*) > 0 AS waits FROM pg_locks WHERE relation = 'messages'::regclass AND NOT granted`;
    await expect.poll(() => onDatabase(b.ownerUrl, copying)).toEqual([{ waits: true }]);

    await mutate(as(owner), (caller) => deleteOrganization(caller, tenant.slug));
    const refused = await fetch(`${a.web.url}/v1/public/account`, {
      headers: { authorization: `Bearer ${key.key}` },
    });
    expect(refused.status).toBe(401);
    // The receipt says that nothing is left, and the target still has a part of it.
    await expectUncertified(a, tenant.id);

    await holdsTarget.query("COMMIT");
    const { exitCode, problem } = await moving;
    expect(exitCode).toBe(1);
    expect(problem).toContain("The organization is being deleted.");
  } finally {
    await Promise.all([holdsSource.end(), holdsTarget.end(), close()]);
  }
  expect(await rowsLeft(b.ownerUrl, tenant.id)).toEqual({});
  expect(await traces(a)).toEqual(nothing);
  expect(await traces(b)).toEqual(nothing);
  await expectDeleted(a, tenant.id);
});

test("an organization that is deleted after the command of its move was killed is not certified as deleted before the copy is", async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant, owner, close } = await newWrittenTenant(a);
  const killed = await move(a, b, tenant.slug, { killAt: "ordering" });
  expect(killed.exitCode, killed.problem).toBeNull();
  await mutate(as(owner), (caller) => deleteOrganization(caller, tenant.slug));
  await expectUncertified(a, tenant.id);
  expect(await rowsLeft(b.ownerUrl, tenant.id)).not.toEqual({});

  // Its slug is free now, so `doctor` names the id.
  const { output } = await runAdmin(["doctor"], { DATABASE_URL: a.databaseUrl });
  expect(output).toContain(`--tenant ${tenant.id} --abort`);
  const aborted = await move(a, b, tenant.id, { flags: ["--abort"] });
  expect(aborted.exitCode, aborted.problem).toBe(0);
  expect(await rowsLeft(b.ownerUrl, tenant.id)).toEqual({});
  expect(await traces(a)).toEqual(nothing);
  expect(await traces(b)).toEqual(nothing);
  await expectDeleted(a, tenant.id);
  await close();
});

test("alerts of an organization that was moved do not keep back those of others, even if the command is killed", async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant } = await newOrganization();
  await onDatabase(
    a.ownerUrl,
    `INSERT INTO alert_targets (tenant_id, sealed_url, host, changed_at, suspended_at) VALUES ('${tenant.id}', 'none', 'none', now(), now())`,
  );
  await onDatabase(
    a.ownerUrl,
    `INSERT INTO alerts (id, tenant_id, text, next_attempt_at, created_at) VALUES ('alr_${tenant.id}', '${tenant.id}', 'Hello', now(), now())`,
  );
  const killed = await move(a, b, tenant.slug, { killAt: "cleaning" });
  expect(killed.exitCode, killed.problem).toBeNull();
  expect(await rowsLeft(a.ownerUrl, tenant.id)).not.toHaveProperty("alerts");
  expect(await rowsLeft(b.ownerUrl, tenant.id)).toMatchObject({ alerts: 1 });
  const completed = await move(a, b, tenant.slug);
  expect(completed.exitCode, completed.problem).toBe(0);
});

test("after a move, the installation that the organization left passes every kind of request and response on", async () => {
  const { a, b } = cells;
  await actIn(a);
  const { tenant } = await newOrganization();
  const key = await newKey(tenant, unlimited);
  const revoked = await newKey(tenant, unlimited);
  const moved = await move(a, b, tenant.slug);
  expect(moved.exitCode, moved.problem).toBe(0);
  const send = (method: string, path: string, init: RequestInit = {}, as = key) =>
    fetch(`${a.web.url}/v1/public${path}`, {
      ...init,
      method,
      headers: { authorization: `Bearer ${as.key}`, ...init.headers },
    });

  const upload = new FormData();
  upload.append("file", new File(["x".repeat(300_000)], "large.txt"));
  const uploaded = await send("POST", "/files", { body: upload });
  expect(uploaded.status).toBe(201);
  expect(await uploaded.json()).toMatchObject({ name: "large.txt", sizeBytes: 300_000 });

  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ name: "Ada" });
  const created = await send("POST", "/customers", { body, headers: json });
  const { id } = (await created.json()) as { id: string };
  const read = await send("GET", `/customers/${id}`);
  const etag = read.headers.get("etag") ?? "";
  expect(await read.json()).toMatchObject({ id, name: "Ada" });
  const unchanged = await send("GET", `/customers/${id}`, { headers: { "if-none-match": etag } });
  expect(unchanged.status).toBe(304);
  expect((await send("HEAD", `/customers/${id}`)).status).toBe(200);
  const stale = { body, headers: { ...json, "if-match": '"other"' } };
  expect((await send("PATCH", `/customers/${id}`, stale)).status).toBe(412);
  for (const hops of ["3", "-9", "x"]) {
    const looping = await send("GET", "/account", { headers: { "x-parlance-forwarded": hops } });
    expect(looping.status).toBe(503);
  }
  const invalid = await send("POST", "/customers", { body: "{", headers: json });
  expect(invalid.status).toBe(400);
  expect(invalid.headers.get("content-type")).toBe("application/problem+json");

  await onDatabase(
    b.ownerUrl,
    `UPDATE api_keys SET revoked_at = now() WHERE id = '${revoked.keyId}'`,
  );
  await expect.poll(async () => (await send("GET", "/account", {}, revoked)).status).toBe(401);
  expect((await send("GET", "/account")).status).toBe(200);

  const back = await move(b, a, tenant.slug);
  expect(back.exitCode).toBe(1);
  expect(back.problem).toContain("files on this installation's disk");
});
