"use server";

import { type ActionPlace, act, trimmedFields } from "@/app/(dashboard)/run-action";
import {
  createCustomerBody,
  type UpdateCustomer,
  updateCustomerBody,
} from "@/lib/customers/schema";
import { createCustomer, updateCustomer } from "@/lib/customers/service";

export async function createCustomerAction(place: ActionPlace, sent: FormData) {
  return act(place, createCustomerBody, trimmedFields(sent), async (caller, input) => {
    const { id } = await createCustomer(caller, input);
    return { id };
  });
}

export async function updateCustomerAction(place: ActionPlace, id: string, patch: UpdateCustomer) {
  return act(place, updateCustomerBody, patch, async (caller, input) => {
    await updateCustomer(caller, String(id), input);
    return null;
  });
}
