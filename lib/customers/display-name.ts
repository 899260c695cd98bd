import type { Customer } from "./schema";

/**
 * A customer's display name: the most telling of the identifying fields, because a customer may
 * have no name.
 */
export function displayName({
  name,
  email,
  phone,
  externalId,
}: Pick<Customer, "name" | "email" | "phone" | "externalId">): string {
  return name ?? email ?? phone ?? externalId ?? "Unnamed customer";
}
