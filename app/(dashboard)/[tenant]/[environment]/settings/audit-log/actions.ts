"use server";

import { z } from "zod";
import { act, type PlaceOfAction } from "@/app/(dashboard)/act";
import type { ActionResult } from "@/lib/action-result";
import { type ChainFinding, verifyAuditChain } from "@/lib/audit/service";

export async function verifyAuditAction(place: PlaceOfAction): Promise<ActionResult<ChainFinding>> {
  return act(place, z.null(), null, (caller) => verifyAuditChain(caller));
}
