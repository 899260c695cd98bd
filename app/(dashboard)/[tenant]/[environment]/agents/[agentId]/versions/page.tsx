import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { AgentHeader } from "@/components/agents/agent-header";
import { CompareForm } from "@/components/agents/compare-form";
import { fieldLabels } from "@/components/agents/field-labels";
import { RollBackDialog } from "@/components/agents/roll-back-dialog";
import { VersionTable } from "@/components/agents/version-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Link } from "@/components/ui/link";
import { Pager } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { type AgentContent, listAgentVersionsQuery } from "@/lib/agents/schema";
import { getAgent } from "@/lib/agents/service";
import { getAgentVersion, listAgentVersions } from "@/lib/agents/versions";
import { changedFields } from "@/lib/platform/changes";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { userNames } from "@/lib/users/service";
import { rollBackAgentAction } from "../../actions";

const load = cache(getAgent);

export const generateMetadata = objectTitle<"agentId">(
  "Versions · Agents",
  async (caller, { agentId }) => (await load(caller, agentId)).name,
);

export default dashboardPage<"agentId">(
  async ({ caller, role, tenant, environment, base, params, query, now }) => {
    const agent = await load(caller, params.agentId);
    const { limit, ...page } = parse(listAgentVersionsQuery, query, "query");
    // One more than the page shows, because its oldest version is compared with the one before.
    const { data } = await listAgentVersions(caller, agent.id, { ...page, limit: limit + 1 });
    const shown = data.slice(0, limit);
    const published =
      agent.publishedVersion === null
        ? null
        : await getAgentVersion(caller, agent.id, agent.publishedVersion);
    const isCurrent = (content: AgentContent) =>
      published !== null && changedFields(published.content, content).length === 0;
    const names = await userNames(caller, [
      ...new Set(shown.flatMap(({ publishedById }) => publishedById ?? [])),
    ]);
    const path = `${base}/agents/${agent.id}`;
    const mayRollBack = hasRole(role, "MEMBER") && agent.status !== "ARCHIVED";

    return (
      <>
        <AgentHeader
          agent={agent}
          base={base}
          current="versions"
          actions={
            hasRole(role, "MEMBER") ? null : (
              <RoleNote sentence={roleSentence("MEMBER", "roll agents back")} />
            )
          }
        />
        {agent.publishedVersion === null ? (
          <EmptyState title="No versions yet">
            Publishing the draft creates version 1. Versions never change, and can be rolled back
            to.
          </EmptyState>
        ) : (
          <>
            <CompareForm
              path={path}
              newest={agent.publishedVersion}
              from={String(agent.publishedVersion)}
              to="draft"
            />
            <VersionTable
              path={path}
              now={now}
              versions={shown.map(
                ({ version, content, publishedById, restoredVersion, createdAt }, index) => ({
                  version,
                  restoredVersion,
                  createdAt: new Date(createdAt),
                  publishedBy: publishedById
                    ? (names.get(publishedById) ?? "A former member")
                    : "Operator",
                  isPublished: version === agent.publishedVersion,
                  changed: changedWords(data[index + 1]?.content, content),
                  actions:
                    mayRollBack && !isCurrent(content) ? (
                      <RollBackDialog
                        environment={environment}
                        agent={agent}
                        version={version}
                        rollBack={rollBackAgentAction.bind(
                          null,
                          { tenant: tenant.slug, environment },
                          agent.id,
                          version,
                        )}
                      >
                        <p>
                          <Link
                            href={`${path}/versions/compare?from=draft&to=${version}`}
                            className="text-accent hover:underline"
                          >
                            Show what changes in the draft
                          </Link>
                        </p>
                      </RollBackDialog>
                    ) : null,
                }),
              )}
            />
            <Pager
              path={`${path}/versions`}
              query={query}
              nextCursor={data.length > limit ? String(shown.at(-1)?.version) : undefined}
            />
          </>
        )}
      </>
    );
  },
);

function changedWords(before: AgentContent | undefined, after: AgentContent): string {
  if (!before) return "First version";
  const changed = new Set(changedFields(before, after));
  const fields = (Object.keys(fieldLabels) as (keyof AgentContent)[]).filter((field) =>
    changed.has(field),
  );
  return fields.map((field) => fieldLabels[field]).join(", ") || "Nothing";
}
