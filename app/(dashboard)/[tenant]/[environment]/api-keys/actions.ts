"use server";

import { z } from "zod";
import { type ActionPlace, actWithProof } from "@/app/(dashboard)/run-action";
import type { RevealedKey } from "@/components/api-keys/types";
import {
  createApiKeyInput,
  maximumNetworks,
  overlap,
  updateApiKeyInput,
} from "@/lib/api-keys/schema";
import { createApiKey, revokeApiKey, rollApiKey, updateApiKey } from "@/lib/api-keys/service";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

const dayMs = 24 * 60 * 60 * 1000;

const updateApiKeyForm = updateApiKeyInput.required({ name: true, scopes: true });

const text = (form: FormData, name: string) => String(form.get(name) ?? "").trim();

function settingsOf(form: FormData) {
  const rateLimit = text(form, "rateLimitPerMinute").replaceAll(",", "");
  return {
    name: form.get("name"),
    scopes: form.getAll("scopes"),
    allowedIps: text(form, "allowedIps")
      .split(/[\s,]+/, maximumNetworks + 1)
      .filter(Boolean),
    rateLimitPerMinute: rateLimit === "" ? null : Number(rateLimit),
  };
}

/** A number of days from now, or a date: the key then works until the end of that day, in UTC. */
function endOf(form: FormData): Date | null {
  const expiry = text(form, "expiry");
  if (expiry === "date") return new Date(`${text(form, "date")}T23:59:59.999Z`);
  return expiry === "never" ? null : new Date(Date.now() + Number(expiry) * dayMs);
}

export async function createApiKeyAction(
  tenant: string,
  form: FormData,
): Promise<ActionResult<RevealedKey> | ProofRequest> {
  const fields = { ...settingsOf(form), expiresAt: endOf(form) };
  return actWithProof(
    { tenant, environment: text(form, "environment") },
    createApiKeyInput,
    fields,
    async (caller, input) => {
      const { apiKey, key } = await createApiKey(caller, input);
      return { key, name: apiKey.name, environment: apiKey.environment, scopes: input.scopes };
    },
  );
}

export async function updateApiKeyAction(
  place: ActionPlace,
  id: string,
  form: FormData,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, updateApiKeyForm, settingsOf(form), async (caller, input) => {
    await updateApiKey(caller, String(id), input);
    return null;
  });
}

export async function rollApiKeyAction(
  place: ActionPlace,
  id: string,
  sent: string,
): Promise<ActionResult<RevealedKey> | ProofRequest> {
  return actWithProof(place, overlap, sent, async (caller, chosen) => {
    const { apiKey, key, replaced } = await rollApiKey(caller, String(id), chosen);
    return {
      key,
      name: apiKey.name,
      environment: apiKey.environment,
      scopes: apiKey.scopes as RevealedKey["scopes"],
      replaced: { hint: replaced.hint, endsAt: replaced.expiresAt?.toISOString() ?? "" },
    };
  });
}

export async function revokeApiKeyAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, z.string().max(100), id, async (caller, keyId) => {
    await revokeApiKey(caller, keyId);
    return null;
  });
}
