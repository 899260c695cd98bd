"use server";

import { z } from "zod";
import { type ActionPlace, query } from "@/app/(dashboard)/run-action";
import { type ChainFinding, verifyAuditChain } from "@/lib/audit/verify-chain";
import type { ActionResult } from "@/lib/platform/action-result";

export async function verifyAuditAction(place: ActionPlace): Promise<ActionResult<ChainFinding>> {
  return query(place, z.null(), null, (caller) => verifyAuditChain(caller));
}
