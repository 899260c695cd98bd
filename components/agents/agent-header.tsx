import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { PageHeader } from "@/components/ui/page-header";
import { TabLinks } from "@/components/ui/tabs";
import type { Agent } from "@/lib/agents/schema";
import { AgentBadges } from "./agent-badges";

type Props = { agent: Agent; base: string; current: "draft" | "versions"; actions?: ReactNode };

/** The header of an agent's pages. */
export function AgentHeader({ agent, base, current, actions }: Props) {
  const path = `${base}/agents/${agent.id}`;
  return (
    <>
      <PageHeader
        title={agent.name}
        aside={<AgentBadges agent={agent} />}
        description={<CopyableId id={agent.id} />}
        trail={[{ name: "Agents", href: `${base}/agents` }]}
        actions={actions}
      />
      <TabLinks
        label="Views of this agent"
        tabs={[
          { name: "Draft", href: path, isCurrent: current === "draft" },
          {
            name: "Versions",
            href: `${path}/versions`,
            isCurrent: current === "versions",
            count: String(agent.publishedVersion ?? 0),
          },
        ]}
      />
    </>
  );
}
