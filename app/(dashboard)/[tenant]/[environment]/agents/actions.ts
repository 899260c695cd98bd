"use server";

import { z } from "zod";
import { type ActionPlace, act } from "@/app/(dashboard)/run-action";
import {
  copyAgentBody,
  createAgentBody,
  type UpdateAgent,
  updateAgentBody,
} from "@/lib/agents/schema";
import {
  archiveAgent,
  copyAgentFromTest,
  createAgent,
  deleteAgent,
  updateAgent,
} from "@/lib/agents/service";
import { publishAgent, rollBackAgent } from "@/lib/agents/versions";
import { trimmedFields } from "@/lib/platform/form-fields";

/** `draft` is the `updatedAt` of the draft that the user sees. */
const decision = z.strictObject({ id: z.string().max(100), draft: z.string().max(100) });

export async function createAgentAction(place: ActionPlace, sent: FormData) {
  return act(place, createAgentBody, trimmedFields(sent), async (caller, input) => {
    const { id } = await createAgent(caller, input);
    return { id };
  });
}

/** From a page of test. Members have the same role in both environments. */
export async function copyToLiveAction({ tenant }: ActionPlace, id: string) {
  const sent = { agentId: id };
  return act({ tenant, environment: "live" }, copyAgentBody, sent, async (caller, input) => {
    await copyAgentFromTest(caller, input);
    return null;
  });
}

export async function saveDraftAction(
  place: ActionPlace,
  id: string,
  draft: string,
  patch: UpdateAgent,
) {
  return act(place, updateAgentBody, patch, (caller, input) =>
    updateAgent(caller, String(id), input, { draft: String(draft) }),
  );
}

export async function publishAgentAction(place: ActionPlace, id: string, draft: string) {
  return act(place, decision, { id, draft }, async (caller, seen) => {
    await publishAgent(caller, seen.id, seen);
    return null;
  });
}

export async function rollBackAgentAction(
  place: ActionPlace,
  id: string,
  version: number,
  draft: string,
) {
  return act(
    place,
    decision.extend({ version: z.int() }),
    { id, version, draft },
    async (caller, seen) => {
      await rollBackAgent(caller, seen.id, seen.version, seen);
      return null;
    },
  );
}

export async function archiveAgentAction(place: ActionPlace, id: string) {
  return act(place, z.string().max(100), id, async (caller, agentId) => {
    await archiveAgent(caller, agentId);
    return null;
  });
}

export async function deleteAgentAction(place: ActionPlace, id: string) {
  return act(place, z.string().max(100), id, async (caller, agentId) => {
    await deleteAgent(caller, agentId);
    return null;
  });
}
