import { dropGuards } from "./guard";
import { endInSource, endReplication, slotsOfCopies } from "./replicate";
import { deleteCopy } from "./rows";
import { DatabaseMissing, openSession, readRow, type Sessions } from "./sessions";
import {
  findMove,
  findTenant,
  hasIncoming,
  lockCommand,
  type Move,
  type MovedTenant,
  requireSameTarget,
  requireSource,
} from "./state";

type Moved = { id: string; slug: string };

/**
 * Ends a move before its switch, for example of a command that was killed: the source accepts writes
 * again, and the target's copy is deleted. If the target cannot be reached, the source remembers the
 * copy.
 */
export async function abortMove({
  slug,
  sourceUrl,
  targetUrl,
}: {
  slug: string;
  sourceUrl: string;
  targetUrl: string;
}): Promise<Moved> {
  const source = await openSession(sourceUrl, "source's database");
  try {
    const tenant = await findTenant({ source }, slug).catch(async (error) => {
      const deleted = await findDeleted(source, slug);
      if (!deleted) throw error;
      return deleted;
    });
    const { id, movedTo } = tenant;
    await lockCommand({ source }, id);
    const move = await findMove({ source }, id);
    requireSource(move);
    if (movedTo || move?.state === "MOVED") throw new Error(isSwitched);
    const target = await openSession(targetUrl, "target's database").catch(
      async ({ message }: Error) => {
        await undoInSource(source, id);
        throw new DatabaseMissing(`${message}. ${await adviceWithoutTarget(source, move)}`);
      },
    );
    try {
      await requireSameTarget({ target }, id, move);
      await undo({ source, target }, id);
    } finally {
      await target.end();
    }
    return { id, slug: tenant.slug };
  } finally {
    await source.end();
  }
}

const isSwitched =
  "The organization has been switched to the target, which may have new data. Run the command without --abort to complete the move.";

async function adviceWithoutTarget(
  source: Sessions["source"],
  move: Move | undefined,
): Promise<string> {
  if (!move) return "The source has no record of a move.";
  const others = await slotsOfCopies(source);
  const slots =
    others.length > 0
      ? ` These replication slots may also belong to the move; drop them if nothing else uses them: ${others.join(", ")}.`
      : "";
  return `The source now has only a record of the copy that the target may have. When the target is back, run the command again: it deletes the copy there. If the target is gone for good, run it with --forget-copy. Until then, the organization cannot be moved elsewhere, and its deletion gets no receipt.${slots}`;
}

/**
 * The operator declares that the other installation is gone for good, with the copy that it had. In
 * the source, the move is undone without its target. In the target, after the switch, only the record
 * of the source's rows is removed.
 */
export async function forgetCopy({
  slug,
  sourceUrl,
}: {
  slug: string;
  sourceUrl: string;
}): Promise<Moved & { otherSlots: string[] }> {
  const source = await openSession(sourceUrl, "source's database");
  try {
    const { id, ...tenant } = await findTenant({ source }, slug);
    await lockCommand({ source }, id);
    const move = await findMove({ source }, id);
    if (!move) throw new Error("No other installation is known to have a copy.");
    if (move.state !== "OPENED") requireSource(move);
    if (tenant.movedTo || move.state === "MOVED")
      throw new Error(
        "The organization has been switched to the target. Run the command without --forget-copy to complete the move.",
      );
    if (move.state === "OPENED") await dropGuards(source, id);
    else await undoInSource(source, id);
    await forgetMove(source, id);
    return { id, slug: tenant.slug, otherSlots: await slotsOfCopies(source) };
  } finally {
    await source.end();
  }
}

/**
 * A target that was declared gone can come back after the deletion. Its copy must then be deleted.
 */
const findDeleted = (source: Sessions["source"], tenantId: string) =>
  readRow<MovedTenant>(
    source,
    `SELECT tenant_id AS id, tenant_id AS slug, NULL AS "movedTo" FROM deleted_tenants WHERE tenant_id = $1`,
    [tenantId],
  );

/** Before the switch, in an order that can be interrupted anywhere and repeated. */
export async function undo(sessions: Sessions, tenantId: string): Promise<void> {
  const { source, target } = sessions;
  await allowWrites(source, tenantId);
  const isIncoming = await hasIncoming(sessions, tenantId);
  await endReplication(sessions, tenantId);
  await dropGuards(source, tenantId);
  if (isIncoming) {
    await deleteCopy(target, tenantId);
    await dropGuards(target, tenantId);
    await target.query("DELETE FROM tenant_moves WHERE tenant_id = $1", [tenantId]);
  }
  await forgetMove(source, tenantId);
}

const allowWrites = (source: Sessions["source"], tenantId: string) =>
  source.query(
    "UPDATE tenant_moves SET state = 'COPYING', stopped_until = NULL WHERE tenant_id = $1 AND state <> 'MOVED'",
    [tenantId],
  );

/** Last, because a deletion of the tenant is not certified before: the target may have a copy. */
const forgetMove = (source: Sessions["source"], tenantId: string) =>
  source.query("DELETE FROM tenant_moves WHERE tenant_id = $1 AND state <> 'MOVED'", [tenantId]);

/** The part of `undo` that does not need the target. */
export async function undoInSource(source: Sessions["source"], tenantId: string): Promise<void> {
  await allowWrites(source, tenantId);
  await endInSource(source, tenantId, { isForced: true });
  await dropGuards(source, tenantId);
}
