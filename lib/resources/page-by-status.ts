import type { Partition } from "@/lib/platform/caller";
import { runStatement } from "@/lib/platform/db";

type Lists = {
  deliveries: { parent: "webhook_id"; status: "DeliveryStatus" };
  documents: { parent: "knowledge_base_id"; status: "DocumentStatus" };
};

const lists: Lists = {
  deliveries: { parent: "webhook_id", status: "DeliveryStatus" },
  documents: { parent: "knowledge_base_id", status: "DocumentStatus" },
};

type PageByStatus = {
  parentId: string;
  statuses: readonly string[];
  order: "asc" | "desc";
  cursor?: string | undefined;
  limit: number;
};

/**
 * The ids of a page of those in one of several statuses, and one more. A page of each status is
 * read, because only within one status the index gives the order of the list; otherwise a rare
 * status would be looked for through all rows. The two bounds stand for equality: they leave the
 * planner no other index with this order.
 */
export async function idsByStatus(
  list: keyof Lists,
  { tenantId, environment }: Partition,
  page: PageByStatus,
): Promise<string[]> {
  const { parentId, statuses, order, cursor, limit } = page;
  const { parent, status } = lists[list];
  const beyond = cursor === undefined ? "" : `AND id ${order === "asc" ? ">" : "<"} $6`;
  const text = `
  SELECT page.id FROM unnest($4::text[]::"${status}"[]) AS wanted (status)
  CROSS JOIN LATERAL (
    SELECT id FROM ${list}
    WHERE tenant_id = $1 AND environment = $2::"Environment" AND ${parent} = $3
      AND ${list}.status >= wanted.status AND ${list}.status <= wanted.status ${beyond}
    ORDER BY ${list}.status ${order}, id ${order} LIMIT $5
  ) AS page
  ORDER BY page.id ${order} LIMIT $5`;
  const name = `${list}_by_status_${order}_${beyond !== ""}`;
  const values = [
    tenantId,
    environment,
    parentId,
    [...new Set(statuses)],
    limit + 1,
    ...(cursor === undefined ? [] : [cursor]),
  ];
  return (await runStatement<{ id: string }>({ name, text }, values)).map(({ id }) => id);
}
