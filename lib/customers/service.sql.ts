import { sql } from "@/lib/platform/sql";
import type { CustomerModel } from "@/prisma/generated/models";

export type CustomerRow = CustomerModel;

const columns = `tenant_id AS "tenantId", environment, id, external_id AS "externalId", name, email, phone, locale, metadata,
  search_words AS "searchWords", conversation_count AS "conversationCount", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Must equal the expression of customers_search_idx, or PostgreSQL does not use the index. */
const searched = "array_to_tsvector(array_append(search_words, upper(tenant_id)))";

/** Without a name: whether the index is worth using depends on the words. */
export const searchCustomersStatement = sql(
  null,
  {
    tenantId: "text",
    environment: "Environment",
    query: "tsquery",
    limit: "int",
    cursor: "text?",
  },
  (p) => `SELECT ${columns} FROM customers
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND ${searched} @@ ${p.query}
      AND (${p.cursor} IS NULL OR id < ${p.cursor})
    ORDER BY id DESC LIMIT ${p.limit}`,
);
