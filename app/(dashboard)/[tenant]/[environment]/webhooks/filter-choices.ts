import type { FilterChoices } from "@/components/webhooks/filter-field";
import { listAgents } from "@/lib/agents/service";
import { listMembers } from "@/lib/members/service";
import type { Caller } from "@/lib/platform/caller";

/** Enough for nearly every organization. Others set the rest with the API. */
const limit = 100;

/** The agents and members that a filter can name. */
export async function filterChoices(caller: Caller): Promise<FilterChoices> {
  const [agents, members] = await Promise.all([
    listAgents(caller, { limit, order: "desc" }),
    listMembers(caller, { limit, order: "asc" }),
  ]);
  return {
    agents: agents.data.map(({ id, name }) => ({ id, name })),
    members: members.data.map(({ id, name, email }) => ({ id, name: name ?? email })),
  };
}
