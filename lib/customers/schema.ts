import { z } from "zod";
import { environment, idOf, idParameter, listQuery, metadata, metadataPatch, nameText, pageOf, text, timestamp } from "@/lib/schema";

const email = text(254).toLowerCase().pipe(z.email("must be a valid email address")).meta({ description: "Stored in lower case." });
const phone = z.string().regex(/^\+[1-9][0-9]{1,14}$/, "is no E.164 number, for example +4930123456");
const locale = text(35).refine(isLanguageTag, "is no BCP 47 language tag, for example de-AT");
const externalId = z.string().min(1).max(255);
const name = nameText(200);

/** The tenant's own identifying fields, of which a customer has at least one. */
export const identifyingFields = ["externalId", "email", "phone", "name"] as const;

const fields = {
  externalId: externalId.nullish(),
  name: name.nullish(),
  email: email.nullish(),
  phone: phone.nullish(),
  locale: locale.nullish(),
  metadata: metadata.optional(),
};

export const createCustomerBody = z
  .strictObject(fields)
  .refine((body) => identifyingFields.some((field) => body[field]), `give at least one of ${identifyingFields.join(", ")}`);

export const updateCustomerBody = z.strictObject({ ...fields, metadata: metadataPatch.optional() });

export const customer = z
  .object({
    id: idOf("customer"),
    environment,
    externalId: z.string().nullable(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    locale: z.string().nullable(),
    metadata,
    conversationCount: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Customer" });

export const customerPage = pageOf(customer);
export const customerParams = z.object({ customerId: idParameter("customer") });
export const listCustomersQuery = listQuery("customer", "desc", {
  email: email.optional(),
  phone: phone.optional(),
  externalId: externalId.optional(),
});

/** The dashboard's list: whatever one remembers of a customer. */
export const findCustomersQuery = listCustomersQuery.pick({ cursor: true }).extend({ q: z.string().max(200).optional() });

export type CreateCustomer = z.output<typeof createCustomerBody>;
export type UpdateCustomer = z.output<typeof updateCustomerBody>;
export type Customer = z.input<typeof customer>;
export type ListCustomers = z.output<typeof listCustomersQuery>;
export type FindCustomers = z.output<typeof findCustomersQuery>;

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
