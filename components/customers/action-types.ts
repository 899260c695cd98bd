import type { CreateCustomer, UpdateCustomer } from "@/lib/customers/schema";
import type { ActionResult } from "@/lib/platform/action-result";

export type CreateCustomerAction = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type UpdateCustomerAction = (patch: UpdateCustomer) => Promise<ActionResult>;

/** The text fields, in the order of the form. */
export type CustomerField = Exclude<keyof CreateCustomer, "metadata">;
