import { version, versionedUpdateSql } from "@/lib/events/versioned-update.sql";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { customerFields } from "./service.sql";

export const findToUpdateStatement = lookupSql(
  "find_customer_to_update",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT ${customerFields}, ${version} FROM customers
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

export const updateCustomerStatement = versionedUpdateSql("update_customer", "customers", {
  name: "text?",
  email: "text?",
  phone: "text?",
  locale: "text?",
  metadata: "jsonb",
  searchWords: "text[]",
});
