"use server";

import { act, type PlaceOfAction, trimmed } from "@/app/(dashboard)/act";
import {
  createCustomerBody,
  type UpdateCustomer,
  updateCustomerBody,
} from "@/lib/customers/schema";
import { createCustomer, updateCustomer } from "@/lib/customers/service";

export async function createCustomerAction(place: PlaceOfAction, sent: FormData) {
  return act(place, createCustomerBody, trimmed(sent), async (caller, input) => {
    const { id } = await createCustomer(caller, input);
    return { id };
  });
}

export async function updateCustomerAction(
  place: PlaceOfAction,
  id: string,
  patch: UpdateCustomer,
) {
  return act(place, updateCustomerBody, patch, async (caller, input) => {
    await updateCustomer(caller, String(id), input);
    return null;
  });
}
