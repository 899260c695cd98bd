import { setTimeout as sleep } from "node:timers/promises";
import type { MoveState } from "./guard";
import { readRow, type Sessions } from "./sessions";

// The records of a move. `tenant_moves` has a row in an installation for as long as the
// other one may have a copy, and until then a deletion of the tenant gets no receipt.

type Source = Pick<Sessions, "source">;

export type MovedTenant = { id: string; slug: string; movedTo: string | null };

export type Move = { state: MoveState; origin: string; database: string | null };

/** A command that was killed may have statements that still run. */
const commandLockMs = 30_000;
const lockPollMs = 20;

export async function findTenant({ source }: Source, slug: string): Promise<MovedTenant> {
  const found = await readRow<MovedTenant>(
    source,
    `SELECT id, slug, moved_to AS "movedTo" FROM tenants WHERE slug = $1`,
    [slug],
  );
  if (!found) throw new Error(`No tenant has the slug "${slug}".`);
  return found;
}

export const findMove = ({ source }: Source, tenantId: string) =>
  readRow<Move>(
    source,
    "SELECT state, target_origin AS origin, target_database AS database FROM tenant_moves WHERE tenant_id = $1",
    [tenantId],
  );

/** The two keys of the advisory lock that a command holds, as SQL. */
export const commandLockOf = (tenantId: string) =>
  `hashtext('parlance tenant move command'), hashtext(${tenantId})`;

/** Held until the session ends. */
export async function lockCommand({ source }: Source, tenantId: string): Promise<void> {
  const deadline = performance.now() + commandLockMs;
  for (;;) {
    const row = await readRow<{ isLocked: boolean }>(
      source,
      `SELECT pg_try_advisory_lock(${commandLockOf("$1")}) AS "isLocked"`,
      [tenantId],
    );
    if (row?.isLocked) return;
    if (performance.now() > deadline)
      throw new Error("Another command is moving this organization. Wait until it has ended.");
    await sleep(lockPollMs);
  }
}

/** The same for a database that was renamed, and for a replica that became the primary. */
export async function databaseOf({ target }: Pick<Sessions, "target">): Promise<string> {
  const row = await readRow<{ id: string }>(
    target,
    "SELECT system_identifier || '/' || oid AS id FROM pg_control_system(), pg_database WHERE datname = current_database()",
  );
  return row?.id ?? "";
}

export const hasIncoming = async ({ target }: Pick<Sessions, "target">, tenantId: string) =>
  (await readRow(target, "SELECT 1 FROM tenant_moves WHERE tenant_id = $1 AND state = 'INCOMING'", [
    tenantId,
  ])) !== undefined;

/** @throws Error if this installation is the target of the move */
export function requireSource(move: Move | undefined): void {
  if (move?.state === "INCOMING")
    throw new Error(
      "The organization is being moved to this installation. Run the command in the one that it leaves.",
    );
  if (move?.state === "OPENED")
    throw new Error(
      "The organization was moved to this installation, and the one that it left may still have its rows. Run the command again there. If that installation is gone for good, run `tenant:move` here with --forget-copy first.",
    );
}

/**
 * Another database does not have the copy, so an undo there would forget it.
 * @throws Error if the move was begun to another database than the target
 */
export async function requireSameTarget(
  sessions: Pick<Sessions, "target">,
  tenantId: string,
  move: Move | undefined,
): Promise<void> {
  if (!move) return;
  // A command of an earlier version did not store it.
  const isSame =
    move.database === null
      ? await hasIncoming(sessions, tenantId)
      : move.database === (await databaseOf(sessions));
  if (isSame) return;
  throw new Error(
    `A move to ${move.origin} was begun with another database, which may have a copy of the organization. Nothing was changed. Undo that move first: name its database, and run the command with --abort. If that database is gone for good, run it with --forget-copy.`,
  );
}
