import { Badge, type BadgeLook } from "@/components/ui/badge";
import type { Agent } from "@/lib/agents/schema";

const statuses: Record<Agent["status"], { label: string; look: BadgeLook }> = {
  DRAFT: { label: "Never published", look: "plain" },
  PUBLISHED: { label: "Published", look: "good" },
  ARCHIVED: { label: "Archived", look: "plain" },
};

/**
 * Where an agent stands, and whether its draft has something that its published version has not.
 */
export function AgentBadges({
  agent: { status, hasUnpublishedChanges },
}: {
  agent: Pick<Agent, "status" | "hasUnpublishedChanges">;
}) {
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      <Badge look={statuses[status].look}>{statuses[status].label}</Badge>
      {status === "PUBLISHED" && hasUnpublishedChanges ? (
        <Badge look="warn">Unpublished changes</Badge>
      ) : null}
    </span>
  );
}
