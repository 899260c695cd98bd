import type { AgentContent } from "@/lib/agents/schema";
import { knowledgeBaseNames } from "@/lib/knowledge/bases/service";
import type { Caller } from "@/lib/platform/caller";

/**
 * What the knowledge bases of these contents are called; by their ids where they have no name any
 * more.
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
