import type { Customer } from "./schema";

/**
 * What to call a customer, who may have no name: the most telling of the fields that identify them.
 */
export function displayName({
  name,
  email,
  phone,
  externalId,
}: Pick<Customer, "name" | "email" | "phone" | "externalId">): string {
  return name ?? email ?? phone ?? externalId ?? "Unnamed customer";
}
