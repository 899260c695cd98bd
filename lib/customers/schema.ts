import { z } from "zod";
import { metadata, metadataFilter, metadataPatch } from "@/lib/platform/metadata";
import {
  createdAt,
  environment,
  integer,
  nameText,
  storedText,
  text,
  timestamp,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
import { isId } from "@/lib/resources/ids";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { wordsOf } from "./search-words";

const described = {
  externalId: "Your own id for the customer. Unique in the environment.",
  name: "The customer's name.",
  email: "An email address, stored in lower case.",
  phone: "A phone number in E.164 format, such as +4930123456.",
  locale: "A BCP 47 language tag, such as de-AT.",
};

const email = text(254)
  .toLowerCase()
  .pipe(z.email("must be a valid email address"))
  .meta({ description: described.email });
const phone = z
  .string()
  .regex(/^\+[1-9][0-9]{1,14}$/, "must be a phone number in E.164 format, for example +4930123456")
  .meta({ maxLength: 16, description: described.phone });
const locale = text(35)
  .refine(isLanguageTag, "must be a BCP 47 language tag, for example de-AT")
  .meta({ description: described.locale });
const externalId = z.string().min(1).max(255).meta({ description: described.externalId });
const name = nameText(200).meta({ description: described.name });

/** How many conversations are deleted with their customer. */
export const maximumCascade = 1_000;

/** A customer always has at least one of these. */
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
  .refine(
    (body) => identifyingFields.some((field) => body[field]),
    `must have at least one of ${identifyingFields.join(", ")}`,
  );

export const updateCustomerBody = z.strictObject({ ...fields, metadata: metadataPatch.optional() });

/** Creates or changes the customer that the path names. */
export const upsertCustomerBody = updateCustomerBody.omit({ externalId: true });

export const customer = z
  .object({
    id: idOf("customer"),
    environment,
    externalId: storedText(255, described.externalId).nullable(),
    name: storedText(200, described.name).nullable(),
    email: storedText(254, described.email).nullable(),
    phone: storedText(16, described.phone).nullable(),
    locale: storedText(35, described.locale).nullable(),
    metadata,
    conversationCount: integer("How many conversations the customer has."),
    createdAt,
    updatedAt,
    erasedAt: timestamp.nullable().meta({
      description:
        "When the customer's erasure was requested. The customer has no personal data since then and cannot be changed.",
    }),
  })
  .meta({ id: "Customer", description: "A person you talk to." });

export const customerPage = pageOf(customer);
export const customerParams = z.object({ customerId: idParameter("customer") });
export const externalIdParams = z.object({
  externalId: externalId
    .refine((value) => !value.includes("\0"), {
      params: { code: "invalid_characters" },
      message: "must not contain a NUL character",
    })
    .meta({
      description: `${described.externalId} Percent-encode it, for example \`/\` as \`%2F\`.`,
      examples: ["user_8412"],
    }),
});
export const deleteCustomerQuery = z.strictObject({
  cascade: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .default(false)
    .meta({
      description: `Whether to delete the customer's conversations, too: at most ${maximumCascade.toLocaleString("en")}.`,
      type: "boolean",
      enum: undefined,
    }),
});

/** The objects of `customer.deleted` and `customer.erased`. */
export const deletedCustomer = z
  .object({ id: idOf("customer"), environment })
  .meta({ description: "The id of the customer." });

export const erasedCustomer = z
  .object({ id: idOf("customer"), environment, erasureId: idOf("erasure") })
  .meta({ description: "The ids of the customer and the erasure." });

export const listCustomersQuery = listQuery("customer", "desc", {
  q: text(200)
    .refine((value) => wordsOf(value).length > 0, {
      params: { code: "too_small" },
      message: "must have at least one word",
    })
    .optional()
    .meta({
      description:
        'Words to find in `name`, `email`, `phone` and `externalId`, all of them. Each may be the start of a word. Use "several words" for a phrase. Case and accents make no difference.',
      minLength: 1,
      examples: ["ada love"],
    }),
  email: email.optional(),
  phone: phone.optional(),
  externalId: externalId.optional(),
  metadata: metadataFilter.optional(),
});

/** The last customer of a page of customers by their last change, with the time that it had. */
const changeCursor = /^\d{1,15}-cus_[0-9A-Z]{26}$/;

/** The dashboard's list and search, by anything that identifies a customer. */
export const findCustomersQuery = listCustomersQuery.pick({ limit: true, order: true }).extend({
  q: z.string().max(200).optional(),
  sort: z.enum(["name", "updatedAt"]).optional(),
  cursor: z
    .string()
    .refine((value) => isId("customer", value) || changeCursor.test(value), {
      params: { kind: "invalid-cursor" },
      message: "must be a cursor of this list",
    })
    .optional(),
});

export type CreateCustomer = z.output<typeof createCustomerBody>;
export type UpdateCustomer = z.output<typeof updateCustomerBody>;
export type UpsertCustomer = z.output<typeof upsertCustomerBody>;
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
