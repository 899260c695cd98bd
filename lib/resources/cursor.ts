import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { invalidCursor } from "@/lib/platform/errors";
import { sql } from "@/lib/platform/sql";
import { now } from "@/lib/platform/time";
import { firstIdAt, type IdKind, isFromDroppedWeek, isId } from "./ids";
import { type ListedTable, partsOf } from "./registry";

/** Events are missing here, because they have a feed of their own. */
const parents = Object.fromEntries(
  partsOf("list").map(({ table, parent }) => [table, parent]),
) as Record<ListedTable, string | null>;

/** The tables whose weeks are dropped without a trace of single items. */
const partitioned: Partial<Record<ListedTable, IdKind>> = {
  deliveries: "delivery",
  request_logs: "request",
};

/** An environment's retention deletes requests after a day at the earliest, also without a trace. */
const shortestLogMs = 86_400_000;

const isFromDeletedLog = (cursor: string): boolean =>
  isId("request", cursor) &&
  cursor < firstIdAt("request", new Date(now().getTime() - shortestLogMs));

const parameters = {
  tenantId: "text",
  environment: "Environment",
  cursor: "text",
  parentId: "text?",
} as const;

const isItemStatement = (list: ListedTable) =>
  sql(`is_item_of_${list}`, parameters, (p) => {
    const within = `tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.cursor}`;
    const parent = parents[list];
    return `
    SELECT EXISTS (SELECT 1 FROM ${list} WHERE ${within} AND ${parent ? `${parent} = ${p.parentId}` : `${p.parentId} IS NULL`})
      OR EXISTS (SELECT 1 FROM deleted_items WHERE ${within} AND parent_id IS NOT DISTINCT FROM ${p.parentId}) AS "isItem"`;
  });

const isItemStatements = Object.fromEntries(
  (Object.keys(parents) as ListedTable[]).map((list) => [list, isItemStatement(list)]),
) as Record<ListedTable, ReturnType<typeof isItemStatement>>;

/**
 * The cursors of a list are the ids of its items. Any of them is accepted, even if the item is
 * filtered out or has been deleted. An id of another tenant, environment or list is refused like
 * one that never existed.
 * @param parentId the resource that the list belongs to, for messages, documents and deliveries
 * @throws AppError `invalid-cursor`
 */
export async function requireCursor(
  caller: Caller,
  list: ListedTable,
  cursor: string | undefined,
  parentId: string | null = null,
) {
  if (cursor === undefined) return;
  const kind = partitioned[list];
  if (kind && isFromDroppedWeek(kind, cursor, now())) return;
  if (list === "request_logs" && isFromDeletedLog(cursor)) return;
  const statement = isItemStatements[list]({ ...caller.partition, cursor, parentId });
  const [found] = await readRows<{ isItem: boolean }>(statement, caller);
  if (!found?.isItem) throw invalidCursor();
}
