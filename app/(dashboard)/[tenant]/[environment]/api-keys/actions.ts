"use server";

import { z } from "zod";
import { act, actWithProof } from "@/app/(dashboard)/act";
import type { CreatedKey } from "@/components/api-keys/states";
import type { ActionResult, ProofRequest } from "@/lib/action-result";
import { createApiKeyInput } from "@/lib/api-keys/schema";
import { createApiKey, revokeApiKey } from "@/lib/api-keys/service";

const dayMs = 24 * 60 * 60 * 1000;

/** Days from now, or a date: then the key lasts to the end of that day, in UTC. */
const createApiKeyForm = createApiKeyInput
  .omit({ expiresAt: true })
  .extend({ expiry: z.enum(["never", "7", "30", "90", "date"]), date: z.string() })
  .transform(({ expiry, date, ...key }, context) => {
    if (expiry === "never") return { ...key, expiresAt: null };
    if (expiry !== "date") return { ...key, expiresAt: new Date(Date.now() + Number(expiry) * dayMs) };
    const expiresAt = new Date(`${date}T23:59:59.999Z`);
    if (!(expiresAt.getTime() > Date.now())) context.addIssue({ code: "custom", path: ["date"], message: "choose a day that is not over" });
    return { ...key, expiresAt };
  });

export async function createApiKeyAction(tenant: string, sent: FormData): Promise<ActionResult<CreatedKey> | ProofRequest> {
  const fields = { name: sent.get("name"), scopes: sent.getAll("scopes"), expiry: sent.get("expiry"), date: sent.get("date") ?? "" };
  return actWithProof({ tenant, environment: String(sent.get("environment")) }, createApiKeyForm, fields, async (caller, input) => {
    const { apiKey, key } = await createApiKey(caller, input);
    return { key, name: apiKey.name, environment: apiKey.environment, scopes: input.scopes };
  });
}

export async function revokeApiKeyAction(tenant: string, environment: string, id: string): Promise<ActionResult> {
  return act({ tenant, environment }, z.string(), id, async (caller, keyId) => {
    await revokeApiKey(caller, keyId);
    return null;
  });
}
