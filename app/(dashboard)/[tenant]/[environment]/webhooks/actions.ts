"use server";

import { redirect } from "next/navigation";
import { z } from "zod";
import { type ActionPlace, act, actWithProof, query } from "@/app/(dashboard)/run-action";
import type { NewSecret } from "@/components/webhooks/action-types";
import { testExampleOf } from "@/lib/api/event-reference";
import { backlogChoices } from "@/lib/deliveries/backlog";
import { recoverDeliveriesBody, replayWebhookBody, testWebhookBody } from "@/lib/deliveries/schema";
import {
  discardHeld,
  enableWebhook,
  recoverDeliveries,
  replayWebhook,
  resendDelivery,
  resumeHeld,
  sendTestEvent,
} from "@/lib/deliveries/service";
import { typesOfPatterns } from "@/lib/events/event-types";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { metadata } from "@/lib/platform/metadata";
import { metadataPatch } from "@/lib/platform/metadata-rows";
import { type FilterPreview, previewFilter } from "@/lib/webhooks/filter";
import { dropOldSecret, rotateSecret } from "@/lib/webhooks/rotate-secret";
import { createWebhookBody, rotateSecretBody, updateWebhookBody } from "@/lib/webhooks/schema";
import { createWebhook, deleteWebhook, getWebhook, updateWebhook } from "@/lib/webhooks/service";
import { findUrlProblem, isForbiddenTarget } from "@/lib/webhooks/webhook-url";

const nothing = z.undefined();

export async function createWebhookAction(
  place: ActionPlace,
  sent: unknown,
): Promise<ActionResult<NewSecret> | ProofRequest> {
  return actWithProof(
    place,
    createWebhookBody.extend({ url: webhookUrl(place) }),
    sent,
    async (caller, input) => {
      const { id, url, secret } = await createWebhook(caller, input);
      return { id, url, secret };
    },
  );
}

/**
 * Checks the URL with the other fields, so that the form shows all errors at once. The service
 * refuses forbidden targets, and records the attempt.
 */
function webhookUrl({ environment }: ActionPlace) {
  return createWebhookBody.shape.url.superRefine((value, context) => {
    const place = { environment: environment === "live" ? "live" : "test" } as const;
    const problem = isForbiddenTarget(value) ? null : findUrlProblem(value, place);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });
}

/** The form sends all of the metadata. Keys that it no longer has are deleted. */
const updateWebhookInput = updateWebhookBody.extend({ metadata: metadata.optional() });

export async function updateWebhookAction(
  place: ActionPlace,
  id: string,
  sent: unknown,
): Promise<ActionResult<{ id: string }> | ProofRequest> {
  return actWithProof(
    place,
    updateWebhookInput.extend({ url: webhookUrl(place).optional() }),
    sent,
    async (caller, { metadata: all, ...fields }) => {
      const before = await getWebhook(caller, id);
      await updateWebhook(caller, id, {
        ...fields,
        ...(all && { metadata: metadataPatch(before.metadata, all) }),
      });
      return { id };
    },
  );
}

const previewInput = createWebhookBody.pick({ events: true, filter: true });

export async function previewFilterAction(
  place: ActionPlace,
  sent: unknown,
): Promise<ActionResult<FilterPreview>> {
  return query(place, previewInput, sent, (caller, { events, filter = null }) =>
    previewFilter(caller, typesOfPatterns(events), filter),
  );
}

export async function disableWebhookAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, nothing, undefined, async (caller) => {
    await updateWebhook(caller, id, { status: "DISABLED" });
    return null;
  });
}

export async function enableWebhookAction(
  place: ActionPlace,
  id: string,
  held: unknown,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, z.enum(backlogChoices), held, async (caller, choice) => {
    await enableWebhook(caller, id, { held: choice });
    return null;
  });
}

/** Redirects to the list, because the page of the webhook no longer exists. */
export async function deleteWebhookAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult | ProofRequest> {
  const result = await actWithProof(place, nothing, undefined, async (caller) => {
    await deleteWebhook(caller, id);
    return null;
  });
  if (result.outcome === "done") redirect(`/${place.tenant}/${place.environment}/webhooks`);
  return result;
}

export async function rotateSecretAction(
  place: ActionPlace,
  id: string,
  overlapSeconds: unknown,
): Promise<ActionResult<NewSecret> | ProofRequest> {
  return actWithProof(place, rotateSecretBody, { overlapSeconds }, async (caller, input) => {
    const { url, secret } = await rotateSecret(caller, id, input);
    return { id, url, secret };
  });
}

export async function dropOldSecretAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, nothing, undefined, async (caller) => {
    await dropOldSecret(caller, id);
    return null;
  });
}

export async function resumeHeldAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult<{ count: number }>> {
  return act(place, nothing, undefined, (caller) => resumeHeld(caller, id));
}

export async function discardHeldAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult<{ count: number }>> {
  return act(place, nothing, undefined, (caller) => discardHeld(caller, id));
}

export async function recoverDeliveriesAction(
  place: ActionPlace,
  id: string,
  sent: unknown,
): Promise<ActionResult<{ count: number }>> {
  return act(place, recoverDeliveriesBody, sent, (caller, input) =>
    recoverDeliveries(caller, id, input),
  );
}

export async function replayWebhookAction(
  place: ActionPlace,
  id: string,
  sent: unknown,
): Promise<ActionResult<{ count: number }>> {
  return act(place, replayWebhookBody, sent, (caller, input) => replayWebhook(caller, id, input));
}

export async function sendTestEventAction(
  place: ActionPlace,
  id: string,
  type?: unknown,
): Promise<ActionResult<{ id: string }>> {
  return act(place, testWebhookBody, { type }, async (caller, input) => ({
    id: (await sendTestEvent(caller, id, testExampleOf(input.type))).id,
  }));
}

export async function resendDeliveryAction(
  place: ActionPlace,
  id: string,
  deliveryId: string,
): Promise<ActionResult> {
  return act(place, nothing, undefined, async (caller) => {
    await resendDelivery(caller, id, deliveryId);
    return null;
  });
}
