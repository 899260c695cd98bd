"use server";

import { z } from "zod";
import { type ActionPlace, act, actWithProof } from "@/app/(dashboard)/run-action";
import { leaveOrganization } from "@/lib/members/service";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { text } from "@/lib/platform/schema";
import { changeSecondFactorRequirement } from "@/lib/second-factor/requirement";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { renameTenant } from "@/lib/tenants/service";
import { requestWipe } from "@/lib/test-data/service";
import { organizationInput } from "@/lib/users/schema";

export async function renameOrganizationAction(
  place: ActionPlace,
  name: string,
): Promise<ActionResult> {
  return act(place, organizationInput, { name }, async (caller, input) => {
    await renameTenant(caller, input.name);
    return null;
  });
}

const confirmationInput = z.strictObject({ confirmation: text(100).trim() });

export async function wipeTestDataAction(
  place: ActionPlace,
  confirmation: string,
): Promise<ActionResult> {
  return act(place, confirmationInput, { confirmation }, async (caller, input) => {
    await requestWipe(caller, input.confirmation);
    return null;
  });
}

export async function changeSecondFactorRequirementAction(
  place: ActionPlace,
  isRequired: boolean,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, z.boolean(), isRequired, async (caller, input) => {
    await changeSecondFactorRequirement(caller, input);
    return null;
  });
}

export async function leaveAction(place: ActionPlace): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, z.null(), null, async (caller) => {
    await leaveOrganization(caller);
    return null;
  });
}

export async function deleteOrganizationAction(
  place: ActionPlace,
  confirmation: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, confirmationInput, { confirmation }, async (caller, input) => {
    await deleteOrganization(caller, input.confirmation);
    return null;
  });
}
