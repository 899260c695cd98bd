import type { Caller } from "@/lib/platform/caller";
import { runStatement, type Statement } from "@/lib/platform/db";
import { invalidCursor } from "@/lib/platform/errors";

/**
 * The lists that are paged by id, and the column of the item whose list it is. Events have a feed
 * of their own.
 */
const parents = {
  conversations: null,
  messages: "conversation_id",
  customers: null,
  agents: null,
  knowledge_bases: null,
  documents: "knowledge_base_id",
  webhooks: null,
  deliveries: "webhook_id",
} as const;

type List = keyof typeof parents;

/** $1 tenant id, $2 environment, $3 cursor, $4 whose list. */
function isItemStatement(list: List): Statement {
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
 * A list gives out the ids of its items as cursors, so any of them is one, also while it is
 * filtered out or deleted by now. An id of another tenant, environment or list is refused like one
 * that never existed.
 * @param parentId whose list it is, for messages, documents and deliveries
 * @throws AppError `invalid-cursor`
 */
export async function requireCursor(
  { partition }: Caller,
  list: List,
  cursor: string | undefined,
  parentId: string | null = null,
) {
  if (cursor === undefined) return;
  const values = [partition.tenantId, partition.environment, cursor, parentId];
  const [found] = await runStatement<{ isItem: boolean }>(isItemStatement(list), values);
  if (!found?.isItem) throw invalidCursor();
}
