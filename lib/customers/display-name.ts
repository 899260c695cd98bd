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
  erasedAt,
}: Pick<Customer, "name" | "email" | "phone" | "externalId"> & { erasedAt: unknown }): string {
  const nameless = erasedAt ? "Erased customer" : "Unnamed customer";
  return name ?? email ?? phone ?? externalId ?? nameless;
}
