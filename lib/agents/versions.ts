import { requireKnowledgeBases } from "@/lib/knowledge/bases/service";
import type { Caller } from "@/lib/platform/caller";
import { changedFields } from "@/lib/platform/changes";
import { requireRole } from "@/lib/platform/roles";
import type { AgentModel, AgentVersionModel } from "@/prisma/generated/models";
import { type Agent, type AgentContent, agentContent, type ListAgentVersions } from "./schema";
import {
  type AgentAction,
  contentOf,
  lockAgent,
  requireAgent,
  requireNotArchived,
  requireUnchangedDraft,
  requireVersion,
  type SeenDraft,
  toAgent,
  writeAgent,
} from "./stored-agent";

/**
 * Publishes the draft as the next version. A draft without unpublished changes makes no new
 * version.
 * @throws AppError `agent-archived`, or `conflict` if the draft has changed since the user saw it
 */
export async function publishAgent(
  caller: Caller,
  id: string,
  seen: SeenDraft = {},
): Promise<Agent> {
  requireRole(caller, "MEMBER", "publish agents");
  const before = await lockAgent(caller, id);
  requireNotArchived(before);
  requireUnchangedDraft(before, seen);
  if (!before.hasUnpublishedChanges) return toAgent(before);
  return publishContent(caller, before, contentOf(before), "agent.published");
}

/**
 * Copies an earlier version into the draft and publishes it as the next version, so the history
 * only grows. Unpublished changes are lost.
 * @throws AppError `agent-archived`, `not-found` for a version that the agent does not have,
 * `conflict` if the draft has changed since the user saw it
 */
export async function rollBackAgent(
  caller: Caller,
  id: string,
  version: number,
  seen: SeenDraft = {},
): Promise<Agent> {
  requireRole(caller, "MEMBER", "roll agents back");
  const before = await lockAgent(caller, id);
  const content = agentContent.parse((await requireVersion(caller, id, version)).content);
  await requireKnowledgeBases(caller, content.knowledgeBaseIds);
  requireNotArchived(before);
  requireUnchangedDraft(before, seen);
  if (!before.hasUnpublishedChanges && changedFields(contentOf(before), content).length === 0)
    return toAgent(before);
  return publishContent(caller, before, content, "agent.rolled_back", version);
}

async function publishContent(
  caller: Caller,
  before: AgentModel,
  content: AgentContent,
  action: AgentAction,
  fromVersion?: number,
) {
  const at = new Date();
  const version = (before.publishedVersion ?? 0) + 1;
  const publishedById = caller.actor.type === "USER" ? caller.actor.id : null;
  await caller.db.agentVersion.create({
    data: {
      ...caller.partition,
      agentId: before.id,
      version,
      content,
      publishedById,
      restoredVersion: fromVersion ?? null,
      createdAt: at,
    },
  });
  const changes = {
    ...content,
    status: "PUBLISHED" as const,
    hasUnpublishedChanges: false,
    publishedVersion: version,
    publishedAt: at,
  };
  return writeAgent(caller, before, changes, action, fromVersion);
}

/** The versions of an agent, newest first. `cursor` is the previous page's last version. */
export async function listAgentVersions(
  caller: Caller,
  id: string,
  { cursor, limit }: ListAgentVersions,
) {
  const { id: agentId } = await requireAgent(caller, id);
  const rows = await caller.db.agentVersion.findMany({
    where: { ...caller.partition, agentId, ...(cursor && { version: { lt: cursor } }) },
    orderBy: { version: "desc" },
    take: limit + 1,
  });
  const versions = rows.slice(0, limit).map(toAgentVersion);
  const last = rows.length > limit ? versions.at(-1) : undefined;
  return last ? { data: versions, nextCursor: String(last.version) } : { data: versions };
}

/** The same without the contents, for the API. */
export async function listPublishedVersions(caller: Caller, id: string, page: ListAgentVersions) {
  const { data, ...next } = await listAgentVersions(caller, id, page);
  return {
    ...next,
    data: data.map(({ version, publishedById, restoredVersion, createdAt }) => ({
      version,
      publishedAt: createdAt,
      publishedById,
      restoredVersion,
    })),
  };
}

export async function getAgentVersion(
  caller: Caller,
  id: string,
  version: number,
): Promise<AgentVersion> {
  return toAgentVersion(await requireVersion(caller, id, version));
}

export type AgentVersion = {
  version: number;
  content: AgentContent;
  /** Null if no user published it. */
  publishedById: string | null;
  /** The version that a rollback restored; null for other versions. */
  restoredVersion: number | null;
  createdAt: string;
};

function toAgentVersion({
  version,
  content,
  publishedById,
  restoredVersion,
  createdAt,
}: AgentVersionModel): AgentVersion {
  return {
    version,
    content: agentContent.parse(content),
    publishedById,
    restoredVersion,
    createdAt: createdAt.toISOString(),
  };
}
