"use server";

import { z } from "zod";
import { act, type PlaceOfAction } from "@/app/(dashboard)/act";
import type { ActionResult } from "@/lib/action-result";
import { organisationInput } from "@/lib/auth/schema";
import { leaveOrganisation } from "@/lib/members/service";
import { renameTenant } from "@/lib/tenants/service";
import { requestWipe } from "@/lib/test-data/service";

export async function renameOrganisationAction(place: PlaceOfAction, name: string): Promise<ActionResult> {
  return act(place, organisationInput, { name }, async (caller, input) => {
    await renameTenant(caller, input.name);
    return null;
  });
}

const wipeInput = z.strictObject({ confirmation: z.string().trim().max(100) });

export async function wipeTestDataAction(place: PlaceOfAction, confirmation: string): Promise<ActionResult> {
  return act(place, wipeInput, { confirmation }, async (caller, input) => {
    await requestWipe(caller, input.confirmation);
    return null;
  });
}

export async function leaveAction(place: PlaceOfAction): Promise<ActionResult> {
  return act(place, z.null(), null, async (caller) => {
    await leaveOrganisation(caller);
    return null;
  });
}
