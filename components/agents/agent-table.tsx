import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName, type Sorting, sortedCaption, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { Agent } from "@/lib/agents/schema";
import { AgentBadges } from "./agent-badges";

const headings = [
  { label: "Agent", sort: "name" },
  { label: "Status", sort: "status" },
  { label: "Published", sort: "publishedAt" },
  { label: "Draft updated", sort: "updatedAt" },
];

type AgentTableProps = { agents: Agent[]; base: string; sorting: Sorting; now: Date };

export function AgentTable({ agents, base, sorting, now }: AgentTableProps) {
  return (
    <Table caption={sortedCaption("Agents", sorting)} headings={headings} sorting={sorting}>
      {agents.map((agent) => (
        <Row key={agent.id}>
          <RowName>
            <Link
              href={`${base}/agents/${agent.id}`}
              className="row-link block break-words font-medium"
            >
              {agent.name}
            </Link>
            {agent.description ? (
              <span className="line-clamp-1 max-w-md break-words text-muted">
                {agent.description}
              </span>
            ) : null}
            <span className="relative z-1">
              <CopyableId id={agent.id} />
            </span>
          </RowName>
          <Cell label="Status">
            <AgentBadges agent={agent} />
          </Cell>
          <Cell label="Published">
            {agent.publishedAt ? (
              <>
                Version {agent.publishedVersion}
                <span className="block text-muted text-xs">
                  <Time at={new Date(agent.publishedAt)} now={now} />
                </span>
              </>
            ) : (
              <span className="text-muted">Never</span>
            )}
          </Cell>
          <Cell label="Draft updated">
            <Time at={new Date(agent.updatedAt)} now={now} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
