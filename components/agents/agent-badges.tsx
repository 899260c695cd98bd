import { Badge, type BadgeVariant } from "@/components/ui/badge";
import type { Agent } from "@/lib/agents/schema";

const statuses: Record<Agent["status"], { label: string; variant: BadgeVariant }> = {
  DRAFT: { label: "Never published", variant: "plain" },
  PUBLISHED: { label: "Published", variant: "good" },
  ARCHIVED: { label: "Archived", variant: "plain" },
};

/**
 * The status of an agent, and whether its draft has unpublished changes.
 */
export function AgentBadges({
  agent: { status, hasUnpublishedChanges },
}: {
  agent: Pick<Agent, "status" | "hasUnpublishedChanges">;
}) {
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      <Badge variant={statuses[status].variant}>{statuses[status].label}</Badge>
      {status === "PUBLISHED" && hasUnpublishedChanges ? (
        <Badge variant="warn">Unpublished changes</Badge>
      ) : null}
    </span>
  );
}
