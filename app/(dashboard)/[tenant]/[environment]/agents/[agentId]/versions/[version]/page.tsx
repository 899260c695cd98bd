import { notFound } from "next/navigation";
import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { ContentDiff } from "@/components/agents/content-diff";
import { ContentView } from "@/components/agents/content-view";
import { RollBackDialog } from "@/components/agents/roll-back-dialog";
import { Badge } from "@/components/ui/badge";
import { ButtonLink } from "@/components/ui/button";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { RawJson } from "@/components/ui/raw-json";
import { Time } from "@/components/ui/time";
import { compareContents } from "@/lib/agents/compare-contents";
import { versionNumber } from "@/lib/agents/schema";
import { draftOf, getAgent } from "@/lib/agents/service";
import { getAgentVersion } from "@/lib/agents/versions";
import { hasRole } from "@/lib/platform/roles";
import { userNames } from "@/lib/users/service";
import { rollBackAgentAction } from "../../../actions";
import { loadKnowledgeBaseNames } from "../../knowledge-base-names";

const load = cache(getAgentVersion);

export const generateMetadata = objectTitle<"agentId" | "version">(
  "Agents",
  async (caller, { agentId, version }) => {
    const number = versionNumber.safeParse(version);
    if (!number.success) notFound();
    const { content } = await load(caller, agentId, number.data);
    return `${content.name} · Version ${number.data}`;
  },
);

export default dashboardPage<"agentId" | "version">(
  async ({ caller, role, tenant, environment, base, params, now }) => {
    const number = versionNumber.safeParse(params.version);
    if (!number.success) notFound();
    const agent = await getAgent(caller, params.agentId);
    const shown = await load(caller, agent.id, number.data);
    const { version, content, publishedById, restoredVersion, createdAt } = shown;
    const before = version > 1 ? await getAgentVersion(caller, agent.id, version - 1) : null;
    const draft = draftOf(agent);
    const nameOf = await loadKnowledgeBaseNames(caller, [
      draft,
      content,
      ...(before ? [before.content] : []),
    ]);
    const publisher = publishedById
      ? (await userNames(caller, [publishedById])).get(publishedById)
      : "Operator";
    const path = `${base}/agents/${agent.id}`;
    const isPublished = version === agent.publishedVersion;

    return (
      <>
        <PageHeader
          title={`Version ${version}`}
          aside={isPublished ? <Badge variant="good">Published</Badge> : null}
          description={
            <>
              Published <Time at={new Date(createdAt)} now={now} /> by{" "}
              {publisher ?? "a former member"}
              {restoredVersion === null ? "." : `, by rolling back to version ${restoredVersion}.`}
            </>
          }
          trail={[
            { name: "Agents", href: `${base}/agents` },
            { name: agent.name, href: path },
            { name: "Versions", href: `${path}/versions` },
          ]}
          actions={
            <>
              <ButtonLink
                variant="secondary"
                href={`${path}/versions/compare?from=${version}&to=draft`}
              >
                Compare with the draft
              </ButtonLink>
              {hasRole(role, "MEMBER") && agent.status !== "ARCHIVED" && !isPublished ? (
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
                  <p className="text-muted">What changes in the draft:</p>
                  <ContentDiff
                    changes={compareContents(draft, content, nameOf)}
                    same="Nothing. The draft is identical to this version."
                  />
                </RollBackDialog>
              ) : null}
            </>
          }
        />
        <div className="space-y-5">
          {before ? (
            <Panel title={`Changes from version ${before.version}`}>
              <ContentDiff
                changes={compareContents(before.content, content, nameOf)}
                same="Nothing."
              />
            </Panel>
          ) : null}
          <Panel title="Content">
            <ContentView content={content} nameOf={nameOf} base={base} />
          </Panel>
          <RawJson value={shown} label="the version as JSON" base={base} />
        </div>
      </>
    );
  },
);
