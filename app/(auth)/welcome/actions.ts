"use server";

import { redirect } from "next/navigation";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { createOrganization } from "@/lib/tenants/service";
import { organizationInput } from "@/lib/users/schema";
import { asMessage, type FormState, fieldErrors, textOf } from "../form-state";

export async function createOrganizationAction(
  _before: FormState,
  form: FormData,
): Promise<FormState> {
  const user = await requireUser();
  const values = { name: textOf(form, "name") };
  const input = organizationInput.safeParse(values);
  if (!input.success) return { ...fieldErrors(input.error), values };

  const { address } = await currentDevice();
  const made = await throttleDashboard(user.id, null)
    .then(() => createOrganization({ id: user.id, address }, input.data.name))
    .catch(asMessage);
  if ("message" in made) return { ...made, values };
  redirect(`/${made.slug}/test`);
}
