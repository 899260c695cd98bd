import { csvRoute } from "@/app/(dashboard)/csv-response";
import { parse } from "@/app/(dashboard)/run-action";
import { type Customer, findCustomersQuery } from "@/lib/customers/schema";
import { findCustomers } from "@/lib/customers/service";

export const GET = csvRoute<Customer>((caller, query) => {
  const search = parse(findCustomersQuery, query, "query");
  return {
    name: "customers",
    audit: { action: "customers.exported" },
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      email: ({ email }) => email,
      phone: ({ phone }) => phone,
      external_id: ({ externalId }) => externalId,
      locale: ({ locale }) => locale,
      conversations: ({ conversationCount }) => conversationCount,
      metadata: ({ metadata }) => JSON.stringify(metadata),
      created_at: ({ createdAt }) => createdAt,
      updated_at: ({ updatedAt }) => updatedAt,
    },
    list: (page) => findCustomers(caller, { ...search, ...page }),
  };
});
