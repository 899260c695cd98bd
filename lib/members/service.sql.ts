import { sql } from "@/lib/platform/sql";

/** Whether the cursor is the id of a member, or of one who has left in the last 30 days. */
export const isMemberStatement = sql(
  "is_item_of_members",
  { tenantId: "text", environment: "Environment", cursor: "text" },
  (p) => `
  SELECT EXISTS (SELECT 1 FROM memberships WHERE tenant_id = ${p.tenantId} AND user_id = ${p.cursor})
    OR EXISTS (SELECT 1 FROM deleted_items
      WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.cursor} AND parent_id IS NULL) AS "isItem"`,
);
