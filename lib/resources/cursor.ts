import type { Caller } from "@/lib/platform/caller";
import { runStatement, type Statement } from "@/lib/platform/db";
import { invalidCursor } from "@/lib/platform/errors";
import { type ListedTable, partsOf } from "./registry";

/** Events are missing here, because they have a feed of their own. */
const parents = Object.fromEntries(
  partsOf("list").map(({ table, parent }) => [table, parent]),
) as Record<ListedTable, string | null>;

/** $1 tenant id, $2 environment, $3 cursor, $4 id of the parent. */
function isItemStatement(list: ListedTable): Statement {
  const within = `tenant_id = $1 AND environment = $2::"Environment" AND id = $3`;
  const parent = parents[list];
  return {
    name: `is_item_of_${list}`,
    text: `
    SELECT EXISTS (SELECT 1 FROM ${list} WHERE ${within} AND ${parent ? `${parent} = $4::text` : "$4::text IS NULL"})
      OR EXISTS (SELECT 1 FROM deleted_items WHERE ${within} AND parent_id IS NOT DISTINCT FROM $4::text) AS "isItem"`,
  };
}

/**
 * A list returns the ids of its items as cursors, so the id of any item is a valid cursor, even if
 * the item was deleted since or does not match the filters. An id of another tenant, environment or
 * list is refused like one that never existed.
 * @param parentId the item that the list belongs to, for messages, documents and deliveries
 * @throws AppError `invalid-cursor`
 */
export async function requireCursor(
  { partition }: Caller,
  list: ListedTable,
  cursor: string | undefined,
  parentId: string | null = null,
) {
  if (cursor === undefined) return;
  const values = [partition.tenantId, partition.environment, cursor, parentId];
  const [found] = await runStatement<{ isItem: boolean }>(isItemStatement(list), values);
  if (!found?.isItem) throw invalidCursor();
}
