"use server";

import { revalidatePath } from "next/cache";
import { flattenError, z } from "zod";
import type { CreateKeyResult, RevokeKeyResult } from "@/components/api-keys/states";
import { createApiKeyInput } from "@/lib/api-keys/schema";
import { createApiKey, revokeApiKey } from "@/lib/api-keys/service";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { mutate } from "@/lib/caller";
import { AppError } from "@/lib/errors";

const noRole = "Only owners and admins may manage API keys.";
const dayMs = 24 * 60 * 60 * 1000;

/** Days from now, or a date: then the key lasts to the end of that day, in UTC. */
const expiry = z.object({ expiry: z.enum(["never", "7", "30", "90", "date"]), date: z.string() }).transform(({ expiry, date }, context) => {
  if (expiry === "never") return null;
  if (expiry !== "date") return new Date(Date.now() + Number(expiry) * dayMs);
  const end = z.iso.date().safeParse(date);
  if (!end.success) context.addIssue({ code: "custom", message: "choose a date" });
  return new Date(`${end.data}T23:59:59.999Z`);
});

export async function createApiKeyAction(tenantSlug: string, form: FormData): Promise<CreateKeyResult> {
  const caller = await dashboardCaller(tenantSlug, String(form.get("environment")), "ADMIN", "/api-keys");
  if (!caller.isAllowed) return { outcome: "refused", message: noRole };

  const expiresAt = expiry.safeParse({ expiry: form.get("expiry"), date: form.get("date") ?? "" });
  const input = createApiKeyInput.safeParse({
    name: form.get("name"),
    scopes: form.getAll("scopes"),
    expiresAt: expiresAt.success ? expiresAt.data : null,
  });
  if (!input.success || !expiresAt.success) {
    const found = input.success ? {} : flattenError(input.error).fieldErrors;
    const dateError = expiresAt.success ? found.expiresAt?.[0] : expiresAt.error.issues[0]?.message;
    return { outcome: "refused", errors: { name: found.name?.[0], scopes: found.scopes?.[0], date: dateError } };
  }

  const { apiKey, key } = await mutate(caller.identity, (transaction) => createApiKey(transaction, input.data));
  revalidatePath(`/${caller.tenant.slug}/${caller.environment}/api-keys`);
  return { outcome: "created", key, name: apiKey.name, environment: caller.environment, scopes: input.data.scopes };
}

export async function revokeApiKeyAction(tenantSlug: string, environment: string, id: string): Promise<RevokeKeyResult> {
  const caller = await dashboardCaller(tenantSlug, environment, "ADMIN", "/api-keys");
  if (!caller.isAllowed) return { outcome: "refused", message: noRole };

  try {
    await mutate(caller.identity, (transaction) => revokeApiKey(transaction, z.string().parse(id)));
  } catch (error) {
    if (error instanceof AppError) return { outcome: "refused", message: error.detail };
    throw error;
  }
  revalidatePath(`/${caller.tenant.slug}/${caller.environment}/api-keys`);
  return { outcome: "revoked" };
}
