import type { changeParameters } from "@/lib/events/outbox.sql";
import type { Identity } from "@/lib/platform/caller";
import { inStoredOrder } from "@/lib/platform/metadata";
import type { References, ValuesOf } from "@/lib/platform/sql";
import { newId } from "@/lib/resources/ids";
import type { CreateCustomer, Customer } from "./schema";
import { searchWords } from "./search-words";

// The parts of one-statement changes that create a customer.

/** A customer as it will be stored and returned. */
export function newCustomer({ partition }: Identity, body: CreateCustomer, at: Date): Customer {
  return {
    id: newId("customer", at),
    environment: partition.environment,
    externalId: body.externalId ?? null,
    name: body.name ?? null,
    email: body.email ?? null,
    phone: body.phone ?? null,
    locale: body.locale ?? null,
    metadata: inStoredOrder(body.metadata ?? {}),
    conversationCount: 0,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    erasedAt: null,
  };
}

/** Its parameters in a one-statement change. */
export const newCustomerValues = (customer: Customer): ValuesOf<typeof newCustomerParameters> => ({
  customerId: customer.id,
  customerExternalId: customer.externalId,
  customerName: customer.name,
  customerEmail: customer.email,
  customerPhone: customer.phone,
  customerLocale: customer.locale,
  customerMetadata: JSON.stringify(customer.metadata),
  customerWords: searchWords(customer),
});

/** A new customer; all null without one. */
export const newCustomerParameters = {
  customerId: "text?",
  customerExternalId: "text?",
  customerName: "text?",
  customerEmail: "text?",
  customerPhone: "text?",
  customerLocale: "text?",
  customerMetadata: "jsonb?",
  customerWords: "text[]?",
} as const;

/**
 * Inserts a new customer for each row of a table with their columns. Fails if the externalId of one is
 * taken.
 */
export const insertCustomers = (from: string, conversationCount: number): string => `
    INSERT INTO customers (tenant_id, environment, id, external_id, name, email, phone, locale, metadata, search_words,
      conversation_count, created_at, updated_at)
    SELECT tenant_id, environment, customer_id, customer_external_id, customer_name, customer_email, customer_phone,
      customer_locale, customer_metadata, customer_words, ${conversationCount}, at, at FROM ${from}`;

type ExternalIdReferences = References<
  Pick<typeof changeParameters, "tenantId" | "environment"> &
    Pick<typeof newCustomerParameters, "customerExternalId">
>;

/**
 * Whether the externalId of a new customer is not taken, nor that of an earlier one of the same `input`.
 * True without one. If another transaction takes it meanwhile, the statement fails.
 */
export const hasFreeExternalId = (p: ExternalIdReferences): string =>
  `(${p.customerExternalId} IS NULL OR (
      (SELECT true FROM customers
        WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND external_id = ${p.customerExternalId}) IS NULL
      AND NOT EXISTS (SELECT FROM input earlier WHERE earlier.n < input.n
        AND earlier.tenant_id = ${p.tenantId} AND earlier.environment = ${p.environment} AND earlier.customer_external_id = ${p.customerExternalId})))`;
