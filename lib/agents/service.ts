import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { requireKnowledgeBases } from "@/lib/knowledge/bases/service";
import type { Caller } from "@/lib/platform/caller";
import { changedFields } from "@/lib/platform/changes";
import { AppError, agentInUse, invalidBody, notInThisStatus } from "@/lib/platform/errors";
import { mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { pageById, toPage } from "@/lib/resources/pages";
import { mostSorted, sortedPage } from "@/lib/resources/sorted-page";
import type { AgentModel } from "@/prisma/generated/models";
import {
  type Agent,
  type AgentContent,
  agentContent,
  type CopyAgent,
  type CreateAgent,
  type FindAgents,
  type ListAgents,
  maximumKnowledgeBases,
  type ShownVersion,
  type UpdateAgent,
} from "./schema";
import {
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

// An agent's row is its draft. Publishing copies the draft into a version, and versions are
// immutable. The API writes only the draft, so it never changes what is published.

export async function listAgents(
  caller: Caller,
  { status, sort, ...page }: ListAgents & Partial<Pick<FindAgents, "status" | "sort">>,
) {
  const { db, partition } = caller;
  await requireCursor(caller, "agents", page.cursor);
  if (sort) {
    const keys = await db.agent.findMany({
      where: { ...partition, ...(status && { status }) },
      select: { id: true, name: true, status: true, publishedAt: true, updatedAt: true },
      orderBy: { id: "desc" },
      take: mostSorted,
    });
    const { data, ...next } = await sortedPage(keys, sort, page, (ids) =>
      db.agent.findMany({ where: { ...partition, id: { in: ids } } }),
    );
    return { data: data.map(toAgent), ...next };
  }
  const { after, orderBy, take } = pageById(page);
  const rows = await db.agent.findMany({
    where: { ...partition, ...(status && { status }), ...after },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, toAgent);
}

/**
 * For searches by name while a user types: the newest agents, without their instructions, which can
 * be megabytes together.
 */
export async function newestAgentNames({ db, partition }: Caller, take: number) {
  return db.agent.findMany({
    where: partition,
    orderBy: { id: "desc" },
    take,
    select: { id: true, name: true, description: true },
  });
}

/**
 * The draft, or the content of a version with everything else as it is now.
 * @throws AppError `not-found` for a version that the agent does not have
 */
export async function getAgent(
  caller: Caller,
  id: string,
  shown: ShownVersion = "draft",
): Promise<Agent> {
  const agent = toAgent(await requireAgent(caller, id));
  if (shown === "draft") return agent;
  const version = shown === "published" ? agent.publishedVersion : Number(shown);
  if (version === null)
    throw new AppError("not-found", "The agent has no published version. Publish its draft first.");
  const { content } = await requireVersion(caller, id, version);
  return { ...agent, ...agentContent.parse(content), version };
}

/**
 * Copies an agent of test to live, as a new draft. The only operation that reads the other
 * environment, and only in this direction: a key for test never reads or writes live.
 * Knowledge bases are found by their names, and those that live does not have are left out.
 * @throws AppError `validation` in test, `not-found` for an agent or a version that test does not have
 */
export async function copyAgentFromTest(
  caller: Caller,
  { agentId, version }: CopyAgent,
): Promise<Agent> {
  if (caller.partition.environment !== "live")
    throw invalidBody("/agentId", "wrong_environment", "can only be copied with a live key");
  const test = { ...caller.partition, environment: "test" as const };
  const source = await getAgent({ ...caller, partition: test }, agentId, version);
  const { knowledgeBaseIds, ...content } = agentContent.parse(source);
  const bases = await caller.db.knowledgeBase.findMany({
    where: { ...test, id: { in: knowledgeBaseIds } },
    select: { name: true },
  });
  const names = bases.map(({ name }) => name);
  const copies = await caller.db.knowledgeBase.findMany({
    where: { ...caller.partition, name: { in: names } },
    orderBy: { id: "asc" },
    take: maximumKnowledgeBases,
    select: { id: true },
  });
  const body = { ...content, knowledgeBaseIds: copies.map(({ id }) => id) };
  return createAgent(caller, body, agentId);
}

/** @param copyOf the agent of test that it is a copy of */
export async function createAgent(
  caller: Caller,
  body: CreateAgent,
  copyOf?: string,
): Promise<Agent> {
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
    changes: { after: { name: created.name, ...(copyOf && { copyOf }) } },
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

/**
 * Deletes a draft. What was published stays, because programs and events refer to it.
 * @throws AppError `invalid-transition` if it was ever published or is archived, `in-use` if
 * conversations refer to it
 */
export async function deleteAgent(caller: Caller, id: string) {
  requireRole(caller, "MEMBER", "delete agents");
  const row = await lockAgent(caller, id);
  caller.requireMatch?.(toAgent(row));
  if (row.status !== "DRAFT" || row.publishedVersion !== null)
    throw notInThisStatus(
      "Only an agent that was never published can be deleted. Archive it in the dashboard instead.",
      { from: row.status, to: "DELETED" },
    );
  // Checked here, because a foreign key violation would abort the caller's transaction. After a
  // violation by a conversation that is created meanwhile, `mutate` runs this again.
  const conversation = await caller.db.conversation.findFirst({
    where: { ...caller.partition, agentId: id },
    select: { id: true },
  });
  if (conversation) throw agentInUse();
  await caller.db.agent.delete({
    where: { tenantId_environment_id: { ...caller.partition, id } },
  });
  await recordEvent(caller, "agent.deleted", {
    id,
    environment: caller.partition.environment,
  });
  await recordAudit(caller, {
    action: "agent.deleted",
    targetId: id,
    changes: { before: { name: row.name } },
  });
  return { id, deleted: true as const };
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
