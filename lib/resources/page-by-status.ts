import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { bindings, isInOrder, type ValueOf } from "@/lib/platform/sql";

/** The lists, and the column with the id of the resource that each belongs to. */
const lists = {
  deliveries: { parent: "webhook_id", status: "DeliveryStatus" },
  documents: { parent: "knowledge_base_id", status: "DocumentStatus" },
} as const;

type Lists = typeof lists;

type PageByStatus<Status extends Lists[keyof Lists]["status"]> = {
  parentId: string;
  statuses: ValueOf<`${Status}[]`>;
  order: "asc" | "desc";
  cursor?: string | undefined;
  limit: number;
};

/**
 * The ids of a page of the items in one of several statuses, and one more. A page of each status is
 * read, because the index has the order of the list only within one status.
 */
export async function idsByStatus<List extends keyof Lists>(
  list: List,
  caller: Caller,
  { parentId, statuses, order, cursor, limit }: PageByStatus<Lists[List]["status"]>,
): Promise<string[]> {
  const { tenantId, environment } = caller.partition;
  const { parent, status } = lists[list];
  const { bind, values } = bindings();
  const limitReference = bind("int", limit + 1);
  const beyond =
    cursor === undefined ? "" : `AND id ${order === "asc" ? ">" : "<"} ${bind("text", cursor)}`;
  const text = `
  SELECT page.id FROM unnest(${bind(`${status}[]`, [...new Set(statuses)] as ValueOf<`${typeof status}[]`>)}) AS wanted (status)
  CROSS JOIN LATERAL (
    SELECT id FROM ${list}
    WHERE tenant_id = ${bind("text", tenantId)} AND environment = ${bind("Environment", environment)} AND ${parent} = ${bind("text", parentId)}
      AND ${isInOrder(`${list}.status`, "wanted.status")} ${beyond}
    ORDER BY ${list}.status ${order}, id ${order} LIMIT ${limitReference}
  ) AS page
  ORDER BY page.id ${order} LIMIT ${limitReference}`;
  const query = { name: `${list}_by_status_${order}`, text, values };
  const rows = await readRows<{ id: string }>(query, caller);
  return rows.map(({ id }) => id);
}
