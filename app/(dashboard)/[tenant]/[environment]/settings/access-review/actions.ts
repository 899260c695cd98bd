"use server";

import { z } from "zod";
import { type ActionPlace, actWithProof } from "@/app/(dashboard)/run-action";
import {
  type AccessKind,
  accessKinds,
  type ConfirmAccess,
  confirmAccessInput,
} from "@/lib/access-review/schema";
import { confirmAccess } from "@/lib/access-review/service";
import { revokeApiKey } from "@/lib/api-keys/service";
import { revokeInvitation } from "@/lib/members/invitations";
import { removeMember } from "@/lib/members/service";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { changeAlertTarget } from "@/lib/webhooks/alerts";
import { deleteWebhook } from "@/lib/webhooks/service";
import { Environment } from "@/prisma/generated/enums";

export async function confirmAccessAction(
  place: ActionPlace,
  wanted: ConfirmAccess,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, confirmAccessInput, wanted, async (caller, input) => {
    await confirmAccess(caller, input);
    return null;
  });
}

const revokeInput = z.strictObject({
  kind: z.enum(accessKinds),
  id: z.string().max(100),
  environment: z.enum(Environment),
});

/** The page lists both environments, so a key or webhook is sent with its own. */
export async function revokeAccessAction(
  place: ActionPlace,
  sent: z.input<typeof revokeInput>,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, revokeInput, sent, async (caller, { kind, id, environment }) => {
    const there = { ...caller, partition: { ...caller.partition, environment } };
    const revoke: Record<AccessKind, () => Promise<unknown>> = {
      apiKeys: () => revokeApiKey(there, id),
      webhooks: () => deleteWebhook(there, id),
      alertTargets: () => changeAlertTarget(caller, null),
      invitations: () => revokeInvitation(caller, id),
      members: () => removeMember(caller, id),
    };
    await revoke[kind]();
    return null;
  });
}
