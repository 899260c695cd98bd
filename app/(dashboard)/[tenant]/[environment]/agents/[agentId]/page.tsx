import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { AgentHeader } from "@/components/agents/agent-header";
import { ArchiveDialog } from "@/components/agents/archive-dialog";
import { ContentDiff } from "@/components/agents/content-diff";
import { ContentView } from "@/components/agents/content-view";
import { DraftForm } from "@/components/agents/draft-form";
import { PublishDialog } from "@/components/agents/publish-dialog";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { DeleteDialog } from "@/components/shell/delete-dialog";
import { Link } from "@/components/ui/link";
import { Facts, Panel } from "@/components/ui/panel";
import { RawJson } from "@/components/ui/raw-json";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { UnsavedChangesProvider } from "@/components/ui/unsaved-changes";
import { compareContents } from "@/lib/agents/compare-contents";
import { type Agent, maximumKnowledgeBases } from "@/lib/agents/schema";
import { draftOf, getAgent } from "@/lib/agents/service";
import { getAgentVersion } from "@/lib/agents/versions";
import { countConversationsOfAgent } from "@/lib/conversations/service";
import { listKnowledgeBases } from "@/lib/knowledge/bases/service";
import type { Caller } from "@/lib/platform/caller";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { userNames } from "@/lib/users/service";
import {
  archiveAgentAction,
  copyToLiveAction,
  deleteAgentAction,
  publishAgentAction,
  saveDraftAction,
} from "../actions";
import { loadKnowledgeBaseNames } from "./knowledge-base-names";

const load = cache(getAgent);

export const generateMetadata = objectTitle<"agentId">(
  "Agents",
  async (caller, { agentId }) => (await load(caller, agentId)).name,
);

const countedConversations = 1_000;

export default dashboardPage<"agentId">(
  async ({ caller, role, tenant, environment, base, params, now }) => {
    const agent = await load(caller, params.agentId);
    const published =
      agent.publishedVersion === null
        ? null
        : await getAgentVersion(caller, agent.id, agent.publishedVersion);
    const draft = draftOf(agent);
    const nameOf = await loadKnowledgeBaseNames(
      caller,
      published ? [draft, published.content] : [draft],
    );
    const publisher = published?.publishedById
      ? (await userNames(caller, [published.publishedById])).get(published.publishedById)
      : undefined;

    const place = { tenant: tenant.slug, environment };
    const mayWrite = hasRole(role, "MEMBER");
    const isOpen = agent.status !== "ARCHIVED";
    const nextVersion = (agent.publishedVersion ?? 0) + 1;

    const actions =
      mayWrite && isOpen ? (
        <>
          {agent.publishedVersion === null ? (
            <DeleteDialog
              title={`Delete “${agent.name}”?`}
              environment={environment}
              confirm="Delete agent"
              remove={deleteAgentAction.bind(null, place, agent.id)}
              done={`“${agent.name}” deleted.`}
              goTo={`${base}/agents`}
            >
              <p>
                It was never published, so no program can depend on a version of it. This cannot be
                undone.
              </p>
            </DeleteDialog>
          ) : null}
          <ArchiveDialog
            environment={environment}
            name={agent.name}
            conversations={await conversationsOf(caller, agent.id)}
            hasUnpublishedChanges={agent.hasUnpublishedChanges}
            archive={archiveAgentAction.bind(null, place, agent.id)}
          />
          {environment === "test" ? (
            <ConfirmDialog
              trigger="Copy to live"
              variant="secondary"
              title="Copy this agent to live?"
              environment="live"
              confirm="Copy to live"
              pending="Copying…"
              confirmVariant="primary"
              act={copyToLiveAction.bind(null, place, agent.id)}
              done="Agent copied to live, as a draft."
            >
              <p>
                Creates a new agent in live from this draft. Knowledge bases are matched by name;
                those that live does not have are left out. Nothing is published.
              </p>
            </ConfirmDialog>
          ) : null}
          {agent.hasUnpublishedChanges ? (
            <PublishDialog
              environment={environment}
              name={agent.name}
              nextVersion={nextVersion}
              seen={agent.updatedAt}
              publish={publishAgentAction.bind(null, place, agent.id)}
            >
              <p className="text-muted">
                {published
                  ? `Changes from version ${published.version}:`
                  : "This agent has never been published. Its first version will contain:"}
              </p>
              <ContentDiff
                changes={compareContents(published?.content ?? null, draft, nameOf)}
                same="No visible changes."
              />
            </PublishDialog>
          ) : null}
        </>
      ) : isOpen ? (
        <RoleNote sentence={roleSentence("MEMBER", "change and publish agents")} />
      ) : null;

    return (
      <UnsavedChangesProvider>
        <AgentHeader agent={agent} base={base} current="draft" actions={actions} />
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
          {mayWrite && isOpen ? (
            <DraftForm
              agent={agent}
              choices={await choicesFor(caller, agent, nameOf)}
              maximumKnowledgeBases={maximumKnowledgeBases}
              save={saveDraftAction.bind(null, place, agent.id)}
            />
          ) : (
            <Panel title={isOpen ? "Draft" : "Content when it was archived"}>
              <ContentView content={draft} nameOf={nameOf} base={base} />
            </Panel>
          )}
          <div className="space-y-5">
            <Panel title="Published version">
              {published ? (
                <Facts
                  facts={[
                    {
                      name: "Version",
                      value: (
                        <Link
                          href={`${base}/agents/${agent.id}/versions/${published.version}`}
                          className="text-accent hover:underline"
                        >
                          Version {published.version}
                        </Link>
                      ),
                    },
                    {
                      name: "Published",
                      value: <Time at={new Date(published.createdAt)} now={now} />,
                    },
                    {
                      name: "By",
                      value: published.publishedById
                        ? (publisher ?? "A former member")
                        : "Operator",
                    },
                  ]}
                />
              ) : (
                <p className="text-muted">This agent has never been published.</p>
              )}
              <p className="mt-4 border-line border-t pt-4 text-muted">{standing(agent)}</p>
            </Panel>
            <RawJson value={agent} label="the agent as JSON" base={base} />
          </div>
        </div>
      </UnsavedChangesProvider>
    );
  },
);

/** Explains what the API can change in this agent. */
function standing({ status, publishedVersion, hasUnpublishedChanges }: Agent): string {
  if (status === "ARCHIVED") return "This agent is archived and read-only.";
  if (publishedVersion === null)
    return "Changes made through the API stay in the draft. Only a member can publish, on this page.";
  const difference = hasUnpublishedChanges ? "differs from" : "is the same as";
  return `The draft ${difference} version ${publishedVersion}. Changes made through the API stay in the draft. Version ${publishedVersion} remains published until a member publishes another one on this page.`;
}

async function conversationsOf(caller: Caller, agentId: string): Promise<string> {
  const count = await countConversationsOfAgent(caller, agentId, countedConversations);
  if (count === 0) return "No conversations";
  if (count >= countedConversations)
    return `${countedConversations.toLocaleString("en")} conversations or more`;
  return count === 1 ? "1 conversation" : `${count} conversations`;
}

/** The selected ones first, then the newest hundred. */
async function choicesFor(
  caller: Caller,
  { knowledgeBaseIds }: Agent,
  nameOf: (id: string) => string,
) {
  const { data } = await listKnowledgeBases(caller, { limit: 100, order: "desc" });
  const others = data.filter(({ id }) => !knowledgeBaseIds.includes(id));
  return [
    ...knowledgeBaseIds.map((id) => ({ id, name: nameOf(id) })),
    ...others.map(({ id, name }) => ({ id, name })),
  ];
}
