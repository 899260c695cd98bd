import type { Caller } from "./call";
import type {
  CreateCustomerBody,
  DeleteCustomerQuery,
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

  /**
   * @throws InUseError with `conversationCount` if it has conversations, unless `cascade` is true
   */
  delete: (customerId: string, query?: DeleteCustomerQuery, options?: RequestOptions) =>
    call("DELETE /customers/{customerId}", { path: { customerId }, query }, options),

  /** Removes all personal data of a customer in the background. Poll `erasures.get` for the receipt. */
  erase: (customerId: string, options?: RequestOptions) =>
    call("POST /customers/{customerId}/erase", { path: { customerId } }, options),
});

export const erasuresOf = ({ call }: Caller) => ({
  /** `COMPLETED` with a receipt once everything is removed. */
  get: (erasureId: string, options?: RequestOptions) =>
    call("GET /erasures/{erasureId}", { path: { erasureId } }, options),
});
