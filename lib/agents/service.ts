import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { changedFields } from "@/lib/platform/changes";
import { mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { pageById, toPage } from "@/lib/resources/pages";
import type { AgentModel } from "@/prisma/generated/models";
import {
  type Agent,
  type AgentContent,
  agentContent,
  type CreateAgent,
  type ListAgents,
  type UpdateAgent,
} from "./schema";
import {
  contentOf,
  lockAgent,
  requireAgent,
  requireKnowledgeBases,
  requireNotArchived,
  requireUnchangedDraft,
  requireVersion,
  type SeenDraft,
  toAgent,
  writeAgent,
} from "./stored-agent";

// An agent's row is its draft. Publishing copies the draft into a version, and versions are
// immutable. The API writes only the draft, so it never changes what is published.

export async function listAgents(
  caller: Caller,
  { status, ...page }: ListAgents & { status?: Agent["status"] | undefined },
) {
  const { db, partition } = caller;
  await requireCursor(caller, "agents", page.cursor);
  const { after, orderBy, take } = pageById(page);
  const rows = await db.agent.findMany({
    where: { ...partition, ...(status && { status }), ...after },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, toAgent);
}

export async function getAgent(caller: Caller, id: string): Promise<Agent> {
  return toAgent(await requireAgent(caller, id));
}

export async function createAgent(caller: Caller, body: CreateAgent): Promise<Agent> {
  requireRole(caller, "MEMBER", "create agents");
  await requireKnowledgeBases(caller, body.knowledgeBaseIds);
  const at = new Date();
  const data = {
    ...caller.partition,
    ...body,
    id: newId("agent", at),
    createdAt: at,
    updatedAt: at,
  };
  const created = toAgent(await caller.db.agent.create({ data }));
  await recordEvent(caller, "agent.created", created);
  await recordAudit(caller, {
    action: "agent.created",
    targetId: created.id,
    changes: { after: { name: created.name } },
  });
  return created;
}

/**
 * Changes the draft; the published version stays as it is.
 * @throws AppError `agent-archived`, or `conflict` if the draft has changed since the user saw it
 */
export async function updateAgent(
  caller: Caller,
  id: string,
  patch: UpdateAgent,
  seen: SeenDraft = {},
): Promise<Agent> {
  requireRole(caller, "MEMBER", "change agents");
  const before = await lockAgent(caller, id);
  caller.requireMatch?.(toAgent(before));
  if (patch.knowledgeBaseIds) await requireKnowledgeBases(caller, patch.knowledgeBaseIds);
  requireNotArchived(before);
  requireUnchangedDraft(before, seen);

  const { metadata: metadataPatch, ...fields } = patch;
  const metadata = mergeMetadata(before.metadata, metadataPatch);

  const draft = { ...before, ...fields, metadata };
  const hasUnpublishedChanges = await differsFromPublished(caller, draft);
  return writeAgent(
    caller,
    before,
    { ...contentOf(draft), hasUnpublishedChanges },
    "agent.updated",
  );
}

/**
 * An archived agent keeps its versions and can still be read, but can no longer change. Archiving
 * it again does nothing.
 */
export async function archiveAgent(caller: Caller, id: string): Promise<Agent> {
  requireRole(caller, "MEMBER", "archive agents");
  const before = await lockAgent(caller, id);
  return writeAgent(caller, before, { status: "ARCHIVED" }, "agent.archived");
}

/** The content that publishing the draft now would publish. */
export function draftOf(agent: Agent): AgentContent {
  return agentContent.parse(agent);
}

/** Also true for an agent that was never published. */
async function differsFromPublished(caller: Caller, draft: AgentModel): Promise<boolean> {
  if (draft.publishedVersion === null) return true;
  const { content } = await requireVersion(caller, draft.id, draft.publishedVersion);
  return changedFields(contentOf(draft), agentContent.parse(content)).length > 0;
}
