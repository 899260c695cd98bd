import { cache } from "react";
import { z } from "zod";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { CompareForm } from "@/components/agents/compare-form";
import { ContentDiff } from "@/components/agents/content-diff";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { compareContents } from "@/lib/agents/compare-contents";
import { type Agent, versionNumber } from "@/lib/agents/schema";
import { draftOf, getAgent } from "@/lib/agents/service";
import { getAgentVersion } from "@/lib/agents/versions";
import type { Caller } from "@/lib/platform/caller";
import { loadKnowledgeBaseNames } from "../../knowledge-base-names";

const load = cache(getAgent);

export const generateMetadata = objectTitle<"agentId">(
  "Compare versions · Agents",
  async (caller, { agentId }) => (await load(caller, agentId)).name,
);

const choice = z.union([z.literal("draft"), versionNumber]);
const compareQuery = z.strictObject({ from: choice, to: choice });

export default dashboardPage<"agentId">(async ({ caller, base, params, query }) => {
  const { from, to } = parse(compareQuery, query, "query");
  const agent = await load(caller, params.agentId);
  const [before, after] = await Promise.all([
    contentOf(caller, agent, from),
    contentOf(caller, agent, to),
  ]);
  const nameOf = await loadKnowledgeBaseNames(caller, [before, after]);
  const path = `${base}/agents/${agent.id}`;

  return (
    <>
      <PageHeader
        title="Compare versions"
        trail={[
          { name: "Agents", href: `${base}/agents` },
          { name: agent.name, href: path },
          { name: "Versions", href: `${path}/versions` },
        ]}
      />
      <CompareForm
        path={path}
        newest={agent.publishedVersion ?? 0}
        from={String(from)}
        to={String(to)}
      />
      <Panel title={`From ${nameOfChoice(from)} to ${nameOfChoice(to)}`}>
        <ContentDiff changes={compareContents(before, after, nameOf)} same="No differences." />
      </Panel>
    </>
  );
});

type Choice = z.output<typeof choice>;

const nameOfChoice = (choice: Choice) => (choice === "draft" ? "the draft" : `version ${choice}`);

async function contentOf(caller: Caller, agent: Agent, choice: Choice) {
  return choice === "draft"
    ? draftOf(agent)
    : (await getAgentVersion(caller, agent.id, choice)).content;
}
