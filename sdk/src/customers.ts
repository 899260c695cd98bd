import type { Caller } from "./call";
import type {
  CreateCustomerBody,
  ListCustomersQuery,
  UpdateCustomerBody,
  UpsertCustomerBody,
} from "./generated/types";
import type { RequestOptions } from "./transport";

export const customersOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListCustomersQuery, options?: RequestOptions) =>
    list("GET /customers", { query }, options),

  /** @throws ConflictError with `existingId` if the `externalId` is taken */
  create: (body: CreateCustomerBody, options?: RequestOptions) =>
    call("POST /customers", { body }, options),

  get: (customerId: string, options?: RequestOptions) =>
    call("GET /customers/{customerId}", { path: { customerId } }, options),

  /** Changes the given fields. Null clears a field, and deletes a key of `metadata`. */
  update: (customerId: string, body: UpdateCustomerBody, options?: RequestOptions) =>
    call("PATCH /customers/{customerId}", { path: { customerId }, body }, options),

  /**
   * Creates the customer with this `externalId`, or changes the one that has it. Fields that are
   * left out stay as they are.
   */
  upsert: (externalId: string, body: UpsertCustomerBody, options?: RequestOptions) =>
    call("PUT /customers/by-external-id/{externalId}", { path: { externalId }, body }, options),
});
