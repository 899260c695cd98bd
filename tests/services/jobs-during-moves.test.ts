import pg from "pg";
import { expect, test } from "vitest";
import { setPassword } from "@/lib/auth/change-password";
import { hashPassword } from "@/lib/auth/password";
import { flushRefusedAttempts } from "@/lib/auth/refused-attempts";
import { signIn, signOut } from "@/lib/auth/service";
import { createConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import {
  claimDeliveries,
  claimMore,
  claimNamed,
  claimRequested,
  startOfScan,
} from "@/lib/deliveries/engine/claim";
import { processNextDocument, roundRobinStart } from "@/lib/knowledge/documents/process-document";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { newId } from "@/lib/resources/ids";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { changeState, createGuards, openTarget } from "@/lib/tenant-move/guard";
import { auditOf, newOrganization, someDevice } from "../support/people";
import { newDocument } from "../support/stored-document";
import {
  newPartition,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  raiseMessage,
} from "../support/webhooks";

// While an organization is moved, a change of its rows is refused. A job must neither fail because of
// that, nor look at the same rows again and again while those of other organizations wait. Members must
// not be locked out of their other organizations.

async function onOwnConnection(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await work(client).finally(() => client.end());
}

/** As in the source of a move, or as in the target, which has the state until it is switched. */
const stop = ({ tenantId }: Partition, state: "STOPPED" | "INCOMING" | "MOVED" = "STOPPED") =>
  onOwnConnection(async (client) => {
    await client.query(
      "INSERT INTO tenant_moves (tenant_id, state, target_origin) VALUES ($1, 'COPYING', 'https://b.example.com')",
      [tenantId],
    );
    await createGuards(client, tenantId);
    if (state === "STOPPED")
      await changeState(client, tenantId, state, { stoppedForMs: 3_600_000 });
    else await changeState(client, tenantId, state);
  });

/** The stop ends by itself, without the command. */
const expire = ({ tenantId }: Partition) =>
  onOwnConnection((client) => changeState(client, tenantId, "STOPPED", { stoppedForMs: 0 }));

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

type Due = {
  /** Work that is due since then. Returns whether it is done. */
  prepare: (partition: Partition, dueAt: Date) => Promise<() => Promise<boolean>>;
  run?: () => Promise<unknown>;
};

const webhookUrl = "https://example.com/webhook";

async function backlog(partition: Partition, dueAt: Date, action: "DISCARD" | "REPLAY" | "DELETE") {
  const { id: webhookId } = await newWebhook(webhookUrl, partition);
  await raiseEvent(partition);
  if (action === "DELETE")
    await db().webhook.updateMany({
      where: { ...partition, id: webhookId },
      data: { deletedAt: minutesAgo(120), status: "DISABLED" },
    });
  const id = newId("event");
  await db().backlogTask.create({
    data: {
      ...{ ...partition, id, webhookId, action, afterId: "", beforeId: "zzz" },
      ...{ nextDueAt: dueAt, createdAt: dueAt },
    },
  });
  return async () => (await db().backlogTask.count({ where: { ...partition, id } })) === 0;
}

const jobs: Record<string, Due> = {
  "wake-snoozed-conversations": {
    prepare: async (partition, dueAt) => {
      const { id } = await mutate(system(partition), (caller) =>
        createConversation(caller, {
          channelId: "web",
          priority: "NORMAL",
          tags: [],
          metadata: {},
        }),
      );
      const snoozedUntil = new Date(Date.now() + 3_600_000);
      await mutate(system(partition), (caller) =>
        updateConversation(caller, id, { status: "SNOOZED", snoozedUntil }),
      );
      const where = { ...partition, id };
      await db().conversation.updateMany({ where, data: { snoozedUntil: dueAt } });
      return async () =>
        (await db().conversation.count({ where: { ...where, status: "OPEN" } })) === 1;
    },
  },
  "apply-retention": {
    prepare: async (partition, nextAt) => {
      await db().retentionSetting.create({ data: { ...partition, conversations: 30, nextAt } });
      return async () =>
        (await db().retentionSetting.count({ where: { ...partition, nextAt } })) === 0;
    },
  },
  "work-off-erasures": {
    prepare: async (partition, nextAt) => {
      const id = newId("erasure");
      await db().erasure.create({
        data: {
          ...{ ...partition, id, customerId: newId("customer"), identifiers: [], nextAt },
          ...{ requestedByType: "OPERATOR", requestedById: "tests", createdAt: nextAt },
        },
      });
      const where = { ...partition, id, phase: "CONVERSATIONS" } as const;
      return async () => (await db().erasure.count({ where })) === 0;
    },
  },
  "work-off-deletions": {
    prepare: async (partition, deletedAt) => {
      const where = { ...partition, id: newId("conversation") };
      await db().deletion.create({ data: { ...where, deletedAt } });
      return async () =>
        (await db().deletion.count({ where: { ...where, finishedAt: null } })) === 0;
    },
  },
  "wipe-test-data": {
    prepare: async ({ tenantId }, requestedAt) => {
      await db().wipeTask.create({ data: { tenantId, requestedById: "tests", requestedAt } });
      return async () => (await db().wipeTask.count({ where: { tenantId } })) === 0;
    },
  },
  "remove-stray-files": {
    prepare: async (partition, removeAfter) => {
      await db().strayBlob.create({ data: { ...partition, key: newId("file"), removeAfter } });
      return async () => (await db().strayBlob.count({ where: partition })) === 0;
    },
  },
  "count-finished-days": {
    prepare: async ({ tenantId: id }, dueAt) => {
      // Days, not minutes.
      const days = Math.round((Date.now() - dueAt.getTime()) / 60_000);
      const countedUntil = new Date(new Date("2020-02-01").getTime() - days * 86_400_000);
      await db().tenant.update({ where: { id }, data: { countedUntil } });
      return async () => (await db().tenant.count({ where: { id, countedUntil } })) === 0;
    },
  },
  "purge-expired": {
    prepare: async (partition, expiresAt) => {
      const record = { fingerprint: Buffer.from("x"), status: 200, body: "{}" };
      await db().idempotencyRecord.create({
        data: { ...partition, ...record, key: "expired", createdAt: expiresAt, expiresAt },
      });
      return async () => (await db().idempotencyRecord.count({ where: partition })) === 0;
    },
  },
  "mail-warnings": {
    prepare: async (partition, createdAt) => {
      const { id: webhookId } = await newWebhook(webhookUrl, partition);
      await db().webhookWarning.create({
        data: { ...partition, webhookId, failures: 10, createdAt },
      });
      return async () =>
        (await db().webhookWarning.count({ where: { ...partition, mailedAt: null } })) === 0;
    },
  },
  "sweep-webhooks": {
    prepare: async (partition) => {
      const { id } = await newWebhook(webhookUrl, partition);
      const where = { ...partition, id };
      await db().webhook.updateMany({ where, data: { consecutiveFailures: 100 } });
      return async () =>
        (await db().webhook.count({ where: { ...where, status: "DISABLED" } })) === 1;
    },
  },
  "sweep-lanes": {
    prepare: async (partition) => {
      const { id } = await newWebhook(webhookUrl, partition, { ordering: "conversation" });
      await raiseMessage(partition, newId("conversation"), 1);
      const where = { ...partition, webhookId: id };
      await db().delivery.updateMany({ where, data: { nextAttemptAt: null } });
      return async () =>
        (await db().delivery.count({ where: { ...where, nextAttemptAt: { not: null } } })) === 1;
    },
  },
  "work-off-backlogs, which discards": {
    prepare: (partition, dueAt) => backlog(partition, dueAt, "DISCARD"),
    run: () => runJob("work-off-backlogs"),
  },
  "work-off-backlogs, which replays": {
    prepare: (partition, dueAt) => backlog(partition, dueAt, "REPLAY"),
    run: () => runJob("work-off-backlogs"),
  },
  "work-off-backlogs, which deletes": {
    prepare: (partition, dueAt) => backlog(partition, dueAt, "DELETE"),
    run: () => runJob("work-off-backlogs"),
  },
  "processing documents": {
    prepare: async (partition) => {
      const { id } = await newDocument(partition, "Text");
      return async () => (await db().document.count({ where: { id, status: "READY" } })) === 1;
    },
    run: () => processNextDocument(roundRobinStart),
  },
};

const runJob = async (name: string) => recurringJobs[name]?.work(1);

/** One row at a time, so that the first one keeps back all others if it is tried again. */
async function runUntil(name: string, isDone: () => Promise<boolean>): Promise<boolean> {
  const { run = () => runJob(name) } = jobs[name] as Due;
  for (let turn = 0; turn < 20; turn++) {
    await run();
    if (await isDone()) return true;
  }
  return false;
}

test.each(Object.keys(jobs))(
  "%s goes on for other organizations while writes of one are stopped",
  async (name) => {
    const { prepare } = jobs[name] as Due;
    const [moving, other] = [await newPartition(), await newPartition()];
    const isMovingDone = await prepare(moving, minutesAgo(30));
    const isOtherDone = await prepare(other, minutesAgo(15));
    await stop(moving);
    expect(await runUntil(name, isOtherDone)).toBe(true);
    expect(await isMovingDone()).toBe(false);

    // Its own work is done once the stop has ended.
    await expire(moving);
    expect(await runUntil(name, isMovingDone)).toBe(true);
  },
);

test.each(["INCOMING", "MOVED"] as const)(
  "a job leaves out an organization in the state %s, however long it lasts",
  async (state) => {
    const { prepare } = jobs["wake-snoozed-conversations"] as Due;
    const [moving, other] = [await newPartition(), await newPartition()];
    const isMovingDone = await prepare(moving, minutesAgo(30));
    const isOtherDone = await prepare(other, minutesAgo(15));
    await stop(moving, state);
    expect(await runUntil("wake-snoozed-conversations", isOtherDone)).toBe(true);
    expect(await isMovingDone()).toBe(false);
  },
);

test("jobs of the target do the work of an organization as soon as it is opened", async () => {
  const { prepare } = jobs["wake-snoozed-conversations"] as Due;
  const moved = await newPartition();
  const isDone = await prepare(moved, minutesAgo(30));
  await stop(moved, "INCOMING");
  expect(await runUntil("wake-snoozed-conversations", isDone)).toBe(false);
  // The rows in the source are not deleted yet.
  await onOwnConnection((client) => openTarget(client, moved.tenantId));
  expect(await runUntil("wake-snoozed-conversations", isDone)).toBe(true);
  expect(await db().tenantMove.findUnique({ where: { tenantId: moved.tenantId } })).toMatchObject({
    state: "OPENED",
  });
});

test("the worker claims deliveries of other organizations while writes of one are stopped", async () => {
  // Of the tests before.
  await db().delivery.deleteMany();
  const [moving, other] = [await newWebhook(webhookUrl), await newWebhook(webhookUrl)];
  const named = await raiseBacklog(moving.partition, moving.id, 20, minutesAgo(30));
  await raiseBacklog(other.partition, other.id, 4, minutesAgo(15));
  for (const { partition } of [moving, other])
    await raiseEvent(partition).then(([delivery]) =>
      db().delivery.updateMany({
        where: { ...partition, id: delivery?.id ?? "" },
        data: { requestedAt: minutesAgo(1), requestedTrigger: "MANUAL" },
      }),
    );
  await stop(moving.partition);

  const batch = { cursor: startOfScan, allowances: new Map(), defaultAllowance: 10 };
  const due = await claimDeliveries({ ...batch, limit: 4, overdueSeconds: 0 });
  const tenantsOf = (deliveries: { tenantId: string }[]) =>
    deliveries.map(({ tenantId }) => tenantId);
  // All of the batch, not the share that remains next to the one that is stopped.
  expect(tenantsOf(due.deliveries)).toEqual(Array(4).fill(other.partition.tenantId));
  const { deliveries: requested } = await claimRequested({ limit: 10, overdueSeconds: 0 });
  expect(tenantsOf(requested)).toEqual([other.partition.tenantId]);
  const backlog = { ...moving.partition, webhookId: moving.id, taken: 1 };
  const more = () => claimMore([{ ...backlog, dueMs: minutesAgo(31).getTime() }], [5]);
  expect((await more()).deliveries).toEqual([]);
  expect(await claimNamed(named, batch)).toEqual({ deliveries: [], others: 0 });

  await expire(moving.partition);
  const rest = await claimDeliveries({ ...batch, limit: 30, overdueSeconds: 0 });
  expect(new Set(tenantsOf(rest.deliveries))).toContain(moving.partition.tenantId);
  expect((await more()).deliveries).toHaveLength(5);
});

const password = "correct horse battery";

/** The owner of an organization that is about to move is also a member of another one. */
async function newMemberOfTwo() {
  const { tenant, owner } = await newOrganization(await hashPassword(password));
  const { tenant: other } = await newOrganization();
  await db().membership.create({
    data: { tenantId: other.id, userId: owner.id, role: "MEMBER", createdAt: new Date() },
  });
  const actionsIn = async (tenantId: string) =>
    (await auditOf(tenantId)).map(({ action }) => action).slice(1);
  return { tenant, other, owner, actionsIn };
}

const partitionOf = ({ id }: { id: string }): Partition => ({ tenantId: id, environment: "test" });

test.each(["STOPPED", "INCOMING", "MOVED"] as const)(
  "a member of an organization in the state %s signs in and out, which only other organizations record",
  async (state) => {
    const { tenant, other, owner, actionsIn } = await newMemberOfTwo();
    await stop(partitionOf(tenant), state);
    const enter = (entered: string) =>
      signIn({ email: owner.email, password: entered }, someDevice);
    expect(await enter(password)).toMatchObject({ outcome: "signed-in" });
    expect(await enter("wrong horse battery")).toEqual({ outcome: "failed" });
    await flushRefusedAttempts();
    await signOut(owner, someDevice);
    expect(await db().session.count({ where: { userId: owner.id, revokedAt: null } })).toBe(0);
    expect(await actionsIn(other.id)).toEqual([
      "user.signed_in",
      "user.sign_in_failed",
      "user.signed_out",
    ]);
    expect(await actionsIn(tenant.id)).toEqual([]);
  },
);

test("a member changes the password only when the writes of no organization are stopped, so that the target has it", async () => {
  const { tenant, owner, actionsIn } = await newMemberOfTwo();
  const how = { passwordHash: "new", device: someDevice, action: "user.password_changed" } as const;
  const change = () => db().$transaction((transaction) => setPassword(transaction, owner.id, how));
  await stop(partitionOf(tenant));
  await expect(change()).rejects.toMatchObject({ kind: "unavailable" });
  await expire(partitionOf(tenant));
  await change();
  expect(await actionsIn(tenant.id)).toEqual(["user.password_changed"]);
});
