"use server";

import { z } from "zod";
import { act, type PlaceOfAction } from "@/app/(dashboard)/act";
import { type ChainFinding, verifyAuditChain } from "@/lib/audit/service";
import type { ActionResult } from "@/lib/platform/action-result";

export async function verifyAuditAction(place: PlaceOfAction): Promise<ActionResult<ChainFinding>> {
  return act(place, z.null(), null, (caller) => verifyAuditChain(caller));
}
