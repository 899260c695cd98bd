import { setTimeout as sleep } from "node:timers/promises";
import { verifyChainOf } from "@/lib/audit/verify-chain";
import { db } from "@/lib/platform/db";
import { newFeedOrder } from "./feed-order";
import { changeState, createGuards, dropGuards, openTarget, switchOver, withLock } from "./guard";
import { requireMovable, requireNoDeletion, requireSharedFiles } from "./preflight";
import { endReplication, startReplication, waitForChanges, waitForCopy } from "./replicate";
import { copyLastRows, deleteMovedRows, requireSameRows } from "./rows";
import { openSession, readRow, type Sessions } from "./sessions";
import {
  databaseOf,
  findMove,
  findTenant,
  lockCommand,
  type MovedTenant,
  requireSameTarget,
  requireSource,
} from "./state";
import { undo, undoInSource } from "./undo";

// Moves a tenant to another installation (docs/decisions/0026-growing-past-one-primary.md). At no time
// do both accept its writes: the source stops them, the target has everything, the source gives the
// tenant up for good, and then the target accepts writes. If the command ends before that switch, the
// source is as before, and the next run starts over. If it ends after it, the next run completes it.

/** In this order. Reported when the step begins; `moved` at the end. */
export type MoveStep =
  | "copying"
  | "ordering"
  | "draining"
  | "stopped"
  | "comparing"
  | "switching"
  | "opening"
  | "cleaning"
  | "moved";

export type MoveOptions = {
  slug: string;
  /** The owner's address of the source's database, as this process reaches it. */
  sourceUrl: string;
  /** The same, as the target's PostgreSQL reaches it. */
  replicationUrl: string;
  targetUrl: string;
  /** Where the target's web processes are reached, for example `https://b.example.com`. */
  origin: string;
  /** Writes are allowed again after this time, whatever happens. */
  maximumStopMs: number;
  /**
   * How long the source's rows and their protection remain after the switch. A request that began before
   * it may still write, and fails. An upload can take two minutes.
   */
  settleMs: number;
  report?: (step: MoveStep) => void;
};

export type MoveResult = {
  id: string;
  slug: string;
  origin: string;
  /** Rows that were compared. Null if an earlier run of the command did it. */
  rows: number | null;
  copiedMs: number | null;
  /** How long the tenant's writes were refused. */
  stoppedMs: number | null;
};

/** Attempts in flight may end before writes are stopped, so that few are repeated. */
const drainMs = 5_000;
const drainPollMs = 20;

/** @throws Error with a sentence. Before the switch, nothing has changed then */
export async function moveTenant(options: MoveOptions): Promise<MoveResult> {
  return withSessions(options, async (sessions) => {
    const tenant = await findTenant(sessions, options.slug);
    await lockCommand(sessions, tenant.id);
    const move = await findMove(sessions, tenant.id);
    if (!move && tenant.movedTo)
      throw new Error(`The organization was moved to ${tenant.movedTo}.`);
    requireSource(move);
    if (move?.state === "MOVED") {
      if (move.origin !== options.origin)
        throw new Error(`The organization is being moved to ${move.origin}. Name that --origin.`);
      await finish(sessions, tenant.id, options);
      return resultOf(options, tenant, null);
    }
    await requireSameTarget(sessions, tenant.id, move);
    await undo(sessions, tenant.id);
    await requireMovable(sessions, tenant, options.origin);
    const { broken } = await verifyChainOf(db(), tenant.id);
    if (broken) throw new Error(`The audit log is broken at ${broken.sequence}: ${broken.reason}.`);
    try {
      const measured = await copyAndSwitch(sessions, tenant.id, options);
      const openedAt = await finish(sessions, tenant.id, options);
      return resultOf(options, tenant, {
        ...measured,
        stoppedMs: Math.round(openedAt - measured.stoppedAt),
      });
    } catch (error) {
      const current = await findMove(sessions, tenant.id);
      if (current && current.state !== "MOVED")
        await undo(sessions, tenant.id).catch(() => undoInSource(sessions.source, tenant.id));
      throw error;
    }
  });
}

async function withSessions<Result>(
  { sourceUrl, targetUrl }: MoveOptions,
  work: (sessions: Sessions) => Promise<Result>,
): Promise<Result> {
  const source = await openSession(sourceUrl, "source's database");
  try {
    const target = await openSession(targetUrl, "target's database");
    return await work({ source, target }).finally(() => target.end());
  } finally {
    await source.end();
  }
}

async function copyAndSwitch(sessions: Sessions, tenantId: string, options: MoveOptions) {
  const { source, target } = sessions;
  const { origin, replicationUrl, maximumStopMs, report = () => {} } = options;
  report("copying");
  const startedAt = performance.now();
  await source.query(
    "INSERT INTO tenant_moves (tenant_id, state, target_origin, target_database) VALUES ($1, 'COPYING', $2, $3)",
    [tenantId, origin, await databaseOf(sessions)],
  );
  await target.query(
    `INSERT INTO tenant_moves (tenant_id, state, target_origin, forwarded_to)
     VALUES ($1, 'INCOMING', $2, (SELECT moved_to FROM tenants WHERE id = $1))`,
    [tenantId, origin],
  );
  await createGuards(target, tenantId);
  await createGuards(source, tenantId);
  // Earlier versions wrote to the audit log of a tenant that had moved away, when a member signed in.
  await deleteMovedRows(target, tenantId);
  await createPartitions(target);
  await startReplication(sessions, tenantId, replicationUrl);
  await waitForCopy(sessions, tenantId);
  report("ordering");
  const order = newFeedOrder(sessions, tenantId);
  await order.placeFinished(() => waitForChanges(sessions, tenantId));
  const copiedMs = Math.round(performance.now() - startedAt);

  report("draining");
  await changeState(source, tenantId, "DRAINING", { stoppedForMs: drainMs + maximumStopMs });
  await drain(sessions, tenantId);
  await waitForChanges(sessions, tenantId);
  report("stopped");
  const stoppedAt = performance.now();
  await changeState(source, tenantId, "STOPPED", { stoppedForMs: maximumStopMs });
  // It could be requested until now, and the target would know nothing of it.
  await requireNoDeletion(source, tenantId);
  await waitForChanges(sessions, tenantId);
  await order.placeRest();
  report("comparing");
  const rows = await requireSameRows(sessions, tenantId);
  await requireSharedFiles(sessions, tenantId);
  // From here on, nothing that happens to the source's rows reaches the target.
  await endReplication(sessions, tenantId);
  await copyLastRows(sessions, tenantId);
  report("switching");
  await switchOver(source, tenantId, origin);
  return { rows, copiedMs, stoppedAt };
}

/**
 * Older weeks that the source has, each in its own transaction: the other tenants of the target wait
 * for its locks. The target would drop the week of 37 days ago immediately, with rows that were just
 * copied. What the source still has of it goes to the default partitions.
 */
async function createPartitions(target: Sessions["target"]): Promise<void> {
  for (const day of [-30, -23, -16, -9, -2, 5, 7]) {
    const at = `now() + ${day} * interval '1 day'`;
    await withLock(target, null, () => target.query(`SELECT create_partitions(${at}, ${at})`));
  }
}

/** Waits until no attempt is in flight, but no longer than a few seconds. */
async function drain({ source }: Sessions, tenantId: string): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (performance.now() < deadline) {
    const inFlight = await readRow(
      source,
      "SELECT 1 FROM deliveries WHERE tenant_id = $1 AND status = 'PENDING' AND lease_expires_at > now() LIMIT 1",
      [tenantId],
    );
    if (!inFlight) return;
    await sleep(drainPollMs);
  }
}

/** After the switch. Every step can be repeated. @returns when the target accepted writes */
async function finish(
  sessions: Sessions,
  tenantId: string,
  { settleMs, report = () => {} }: MoveOptions,
): Promise<number> {
  const { source, target } = sessions;
  report("opening");
  const isTarget = await readRow(
    target,
    "SELECT 1 FROM tenants WHERE id = $1 AND moved_to IS NULL UNION ALL SELECT 1 FROM deleted_tenants WHERE tenant_id = $1",
    [tenantId],
  );
  if (!isTarget)
    throw new Error("The target is not the database that the organization was moved to.");
  await advancePositions(sessions);
  await openTarget(target, tenantId);
  const openedAt = performance.now();
  // If the tenant comes back, its processes still know that it was moved away.
  await target.query(
    "SELECT pg_notify('parlance_keys', encode(hash, 'hex')) FROM api_keys WHERE tenant_id = $1",
    [tenantId],
  );
  // The target's worker finds the deliveries when it next looks for what is due, within a second.
  await dropGuards(target, tenantId);
  report("cleaning");
  await sleep(settleMs);
  await deleteMovedRows(source, tenantId);
  await dropGuards(source, tenantId);
  await target.query("DELETE FROM tenant_moves WHERE tenant_id = $1 AND state = 'OPENED'", [
    tenantId,
  ]);
  await source.query("DELETE FROM tenant_moves WHERE tenant_id = $1", [tenantId]);
  report("moved");
  return openedAt;
}

/** How far the target's positions are ahead, so that none that is taken meanwhile is passed. */
const spareAhead = 1_000_000;

/**
 * Deliveries keep their positions in their lanes (lanes.sql.ts), and those that the target adds come
 * after them.
 */
async function advancePositions({ source, target }: Sessions): Promise<void> {
  const row = await readRow<{ value: string }>(
    source,
    `SELECT last_value + ${spareAhead} AS value FROM delivery_positions`,
  );
  await target.query(
    "SELECT setval('delivery_positions', $1) FROM delivery_positions WHERE last_value < $1",
    [row?.value],
  );
}

const resultOf = (
  { origin }: MoveOptions,
  { id, slug }: MovedTenant,
  measured: { rows: number; copiedMs: number; stoppedMs: number } | null,
): MoveResult => ({
  ...{ id, slug, origin },
  rows: measured?.rows ?? null,
  copiedMs: measured?.copiedMs ?? null,
  stoppedMs: measured?.stoppedMs ?? null,
});
