"use server";

import { z } from "zod";
import { type ActionPlace, act } from "@/app/(dashboard)/run-action";
import { type ChainFinding, verifyAuditChain } from "@/lib/audit/service";
import type { ActionResult } from "@/lib/platform/action-result";

export async function verifyAuditAction(place: ActionPlace): Promise<ActionResult<ChainFinding>> {
  return act(place, z.null(), null, (caller) => verifyAuditChain(caller));
}
