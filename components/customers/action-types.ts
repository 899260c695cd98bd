import type { CreateCustomer, UpdateCustomer } from "@/lib/customers/schema";
import type { ActionResult } from "@/lib/platform/action-result";

export type CreateCustomerAction = (form: FormData) => Promise<ActionResult<{ id: string }>>;
export type UpdateCustomerAction = (patch: UpdateCustomer) => Promise<ActionResult>;

/** The fields that are texts, in the order in which a form has them. */
export type CustomerField = Exclude<keyof CreateCustomer, "metadata">;
