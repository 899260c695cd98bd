"use server";

import { z } from "zod";
import { type ActionPlace, act } from "@/app/(dashboard)/run-action";
import { markNotificationsRead } from "@/lib/notifications/service";
import type { ActionResult } from "@/lib/platform/action-result";

/** @param conversationId null for all of them */
export async function markReadAction(
  place: ActionPlace,
  conversationId: string | null,
): Promise<ActionResult> {
  return act(place, z.string().max(100).nullable(), conversationId, async (caller, id) => {
    await markNotificationsRead(caller, id);
    return null;
  });
}
