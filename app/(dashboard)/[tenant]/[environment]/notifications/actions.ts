"use server";

import { z } from "zod";
import { type ActionPlace, act } from "@/app/(dashboard)/run-action";
import { markNotificationsRead } from "@/lib/notifications/service";
import type { ActionResult } from "@/lib/platform/action-result";

/** @param page what they lead to, as `listNotifications` names it; null for all of them */
export async function markReadAction(
  place: ActionPlace,
  page: string | null,
): Promise<ActionResult> {
  return act(place, z.string().max(100).nullable(), page, async (caller, input) => {
    await markNotificationsRead(caller, input);
    return null;
  });
}
