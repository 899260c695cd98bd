import type { AgentContent } from "@/lib/agents/schema";
import { knowledgeBaseNames } from "@/lib/knowledge/bases/service";
import type { Caller } from "@/lib/platform/caller";

/**
 * The names of the knowledge bases in these contents. Deleted knowledge bases are named by their
 * ids.
 */
export async function loadKnowledgeBaseNames(
  caller: Caller,
  contents: AgentContent[],
): Promise<(id: string) => string> {
  const names = await knowledgeBaseNames(caller, [
    ...new Set(contents.flatMap(({ knowledgeBaseIds }) => knowledgeBaseIds)),
  ]);
  return (id) => names.get(id) ?? id;
}
