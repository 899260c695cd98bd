"use server";

import { z } from "zod";
import { type ActionPlace, act, actWithProof } from "@/app/(dashboard)/run-action";
import { type NotificationChoice, notificationChoices } from "@/lib/notifications/choices";
import { changeMutedNotifications } from "@/lib/notifications/service";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { text } from "@/lib/platform/schema";
import { changeAlertTarget } from "@/lib/webhooks/alerts";

const mutedInput = z.array(z.enum(notificationChoices)).max(notificationChoices.length);

export async function changeChoicesAction(
  place: ActionPlace,
  muted: NotificationChoice[],
): Promise<ActionResult> {
  return act(place, mutedInput, muted, async (caller, input) => {
    await changeMutedNotifications(caller, input);
    return null;
  });
}

const targetInput = z.strictObject({ url: text(2_048).min(1).nullable() });

/** @param url null stops the alerts */
export async function changeAlertTargetAction(
  place: ActionPlace,
  url: string | null,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, targetInput, { url }, async (caller, input) => {
    await changeAlertTarget(caller, input.url);
    return null;
  });
}
