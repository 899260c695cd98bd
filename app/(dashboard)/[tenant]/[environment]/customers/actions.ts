"use server";

import { z } from "zod";
import { type ActionPlace, act, actWithProof } from "@/app/(dashboard)/run-action";
import { deleteCustomer } from "@/lib/conversations/delete";
import {
  createCustomerBody,
  type UpdateCustomer,
  updateCustomerBody,
} from "@/lib/customers/schema";
import { createCustomer } from "@/lib/customers/service";
import { updateCustomer } from "@/lib/customers/update";
import { eraseCustomer } from "@/lib/erasures/service";
import { trimmedFields } from "@/lib/platform/form-fields";

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

const customerId = z.string().max(100);

export async function deleteCustomerAction(place: ActionPlace, id: string) {
  return act(place, customerId, id, async (caller, customer) => {
    await deleteCustomer(caller, customer, { cascade: true });
    return null;
  });
}

export async function eraseCustomerAction(place: ActionPlace, id: string) {
  return actWithProof(place, customerId, id, async (caller, customer) => {
    await eraseCustomer(caller, customer);
    return null;
  });
}
