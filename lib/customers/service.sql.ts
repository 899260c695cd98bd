import type { Statement } from "@/lib/platform/db";
import type { CustomerModel } from "@/prisma/generated/models";

export type CustomerRow = CustomerModel;

const columns = `tenant_id AS "tenantId", environment, id, external_id AS "externalId", name, email, phone, locale, metadata,
  search_words AS "searchWords", conversation_count AS "conversationCount", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Must equal the expression of customers_search_idx, or PostgreSQL does not use the index. */
const searched = "array_to_tsvector(array_append(search_words, upper(tenant_id)))";

/**
 * $1 tenant id, $2 environment, $3 tsquery, $4 rows at most, $5 cursor or null. Without a name:
 * whether the index is worth its while depends on the words.
 */
export const searchCustomersStatement: Statement = {
  text: `SELECT ${columns} FROM customers
    WHERE tenant_id = $1 AND environment = $2::"Environment" AND ${searched} @@ $3::tsquery AND ($5::text IS NULL OR id < $5)
    ORDER BY id DESC LIMIT $4`,
};
