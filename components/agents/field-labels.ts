import type { AgentContent } from "@/lib/agents/schema";

/** What each field of an agent is called on the screen. */
export const fieldLabels: Record<keyof AgentContent, string> = {
  name: "Name",
  description: "Description",
  model: "Model",
  temperature: "Temperature",
  instructions: "Instructions",
  greeting: "Greeting",
  knowledgeBaseIds: "Knowledge bases",
  metadata: "Metadata",
};
