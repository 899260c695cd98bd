"use server";

import { type ActionPlace, actWithProof, query } from "@/app/(dashboard)/run-action";
import { previewRetention, updateRetention } from "@/lib/retention/settings";
import { type Retention, retentionInput } from "@/lib/retention/settings-schema";

export async function previewRetentionAction(place: ActionPlace, sent: Retention) {
  return query(place, retentionInput, sent, previewRetention);
}

export async function updateRetentionAction(place: ActionPlace, sent: Retention) {
  return actWithProof(place, retentionInput, sent, async (caller, input) => {
    await updateRetention(caller, input);
    return null;
  });
}
