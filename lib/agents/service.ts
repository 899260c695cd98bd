import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes } from "@/lib/platform/changes";
import { AppError, agentArchived } from "@/lib/platform/errors";
import { type Metadata, mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { pageById, toPage } from "@/lib/resources/pages";
import type { AgentModel, AgentVersionModel } from "@/prisma/generated/models";
import {
  type Agent,
  type AgentContent,
  agentContent,
  type CreateAgent,
  type ListAgents,
  type ListAgentVersions,
  type UpdateAgent,
} from "./schema";

// An agent's row is its draft. Publishing copies the draft into a version, and versions are
// immutable, so nothing that comes through the API changes what is published.

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
 * The `updatedAt` of the draft that the user saw when they acted. If the draft has changed since,
 * the action is refused. The API has no such check: its patches are merged in the order of arrival.
 */
type Seen = { draft?: string | undefined };

/**
 * Changes the draft; the published version stays as it is.
 * @throws AppError `agent-archived`, or `conflict` if the draft has changed since the user saw it
 */
export async function updateAgent(
  caller: Caller,
  id: string,
  patch: UpdateAgent,
  seen: Seen = {},
): Promise<Agent> {
  requireRole(caller, "MEMBER", "change agents");
  const before = await lockAgent(caller, id);
  if (patch.knowledgeBaseIds) await requireKnowledgeBases(caller, patch.knowledgeBaseIds);
  requireNotArchived(before);
  requireSeen(before, seen);

  const { metadata: metadataPatch, ...fields } = patch;
  const metadata = mergeMetadata(before.metadata, metadataPatch);

  const draft = { ...before, ...fields, metadata };
  const hasUnpublishedChanges = await differsFromPublished(caller, draft);
  return write(caller, before, { ...contentOf(draft), hasUnpublishedChanges }, "agent.updated");
}

/**
 * Publishes the draft as the next version. A draft without unpublished changes makes no new
 * version.
 * @throws AppError `agent-archived`, or `conflict` if the draft has changed since the user saw it
 */
export async function publishAgent(caller: Caller, id: string, seen: Seen = {}): Promise<Agent> {
  requireRole(caller, "MEMBER", "publish agents");
  const before = await lockAgent(caller, id);
  requireNotArchived(before);
  requireSeen(before, seen);
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
  seen: Seen = {},
): Promise<Agent> {
  requireRole(caller, "MEMBER", "roll agents back");
  const before = await lockAgent(caller, id);
  const content = agentContent.parse((await requireVersion(caller, id, version)).content);
  await requireKnowledgeBases(caller, content.knowledgeBaseIds);
  requireNotArchived(before);
  requireSeen(before, seen);
  if (!before.hasUnpublishedChanges && changedFields(contentOf(before), content).length === 0)
    return toAgent(before);
  return publishContent(caller, before, content, "agent.rolled_back", version);
}

/**
 * An archived agent keeps its versions and can still be read, but can no longer change. Archiving
 * it again does nothing.
 */
export async function archiveAgent(caller: Caller, id: string): Promise<Agent> {
  requireRole(caller, "MEMBER", "archive agents");
  const before = await lockAgent(caller, id);
  return write(caller, before, { status: "ARCHIVED" }, "agent.archived");
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

export async function getAgentVersion(
  caller: Caller,
  id: string,
  version: number,
): Promise<AgentVersion> {
  return toAgentVersion(await requireVersion(caller, id, version));
}

/** The content that publishing the draft now would publish. */
export function draftOf(agent: Agent): AgentContent {
  return agentContent.parse(agent);
}

type Action = "agent.updated" | "agent.archived" | "agent.published" | "agent.rolled_back";

async function publishContent(
  caller: Caller,
  before: AgentModel,
  content: AgentContent,
  action: Action,
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
  return write(caller, before, changes, action, fromVersion);
}

/** Writes the changes with their event and audit entry. Writes nothing if nothing changes. */
async function write(
  caller: Caller,
  row: AgentModel,
  changes: Partial<AgentModel>,
  action: Action,
  fromVersion?: number,
): Promise<Agent> {
  const before = toAgent(row);
  const changed = changedFields(before, toAgent({ ...row, ...changes }));
  if (changed.length === 0) return before;

  const { metadata, ...columns } = changes;
  // Always later than before, so that no two drafts share a time even if the clocks of processes
  // differ.
  const updatedAt = new Date(Math.max(Date.now(), row.updatedAt.getTime() + 1));
  const after = toAgent(
    await caller.db.agent.update({
      where: { tenantId_environment_id: { ...caller.partition, id: row.id } },
      data: {
        ...columns,
        ...(metadata !== undefined && { metadata: metadata as Metadata }),
        updatedAt,
      },
    }),
  );
  const isPublished = after.publishedVersion !== before.publishedVersion;
  const previous = previousAttributes(before, changed);
  await recordEvent(caller, isPublished ? "agent.published" : "agent.updated", after, {
    previousAttributes: previous,
  });
  await recordAudit(caller, {
    action,
    targetId: row.id,
    changes: {
      before: previous,
      after: previousAttributes(after, changed),
      ...(fromVersion !== undefined && { fromVersion }),
    },
  });
  return after;
}

/** True also for an agent that was never published. */
async function differsFromPublished(caller: Caller, draft: AgentModel): Promise<boolean> {
  if (draft.publishedVersion === null) return true;
  const { content } = await requireVersion(caller, draft.id, draft.publishedVersion);
  return changedFields(contentOf(draft), agentContent.parse(content)).length > 0;
}

async function requireAgent({ db, partition }: Caller, id: string): Promise<AgentModel> {
  const found = await db.agent.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (!found) throw notFound("agent", id);
  return found;
}

/** Locks the row until the transaction ends, so that changes to one agent are serialized. */
async function lockAgent(caller: Caller, id: string): Promise<AgentModel> {
  await lockRow(caller, "agents", id);
  return requireAgent(caller, id);
}

async function requireVersion(
  { db, partition }: Caller,
  agentId: string,
  version: number,
): Promise<AgentVersionModel> {
  const where = { tenantId_environment_agentId_version: { ...partition, agentId, version } };
  const found = await db.agentVersion.findUnique({ where });
  if (!found) throw new AppError("not-found", `The agent has no version ${version}.`);
  return found;
}

/**
 * A knowledge base of another tenant or of the other environment gets the same 404 as a missing
 * one.
 */
async function requireKnowledgeBases({ db, partition }: Caller, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await db.knowledgeBase.findMany({
    where: { ...partition, id: { in: ids } },
    select: { id: true },
  });
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing) throw notFound("knowledgeBase", missing);
}

function requireSeen({ updatedAt }: AgentModel, { draft }: Seen): void {
  if (draft === undefined || draft === updatedAt.toISOString()) return;
  throw new AppError("conflict", "The draft has changed since you opened it.", {
    errors: [
      {
        pointer: "/updatedAt",
        location: "body",
        code: "changed",
        predicate: "must be that of the current draft",
      },
    ],
  });
}

function requireNotArchived({ status }: AgentModel): void {
  if (status === "ARCHIVED") throw agentArchived();
}

function contentOf(row: AgentModel): AgentContent {
  return {
    name: row.name,
    description: row.description,
    model: row.model,
    instructions: row.instructions,
    greeting: row.greeting,
    temperature: row.temperature,
    knowledgeBaseIds: row.knowledgeBaseIds,
    metadata: row.metadata as Metadata,
  };
}

export function toAgent(row: AgentModel): Agent {
  return {
    id: row.id,
    environment: row.environment,
    status: row.status,
    ...contentOf(row),
    hasUnpublishedChanges: row.hasUnpublishedChanges,
    publishedVersion: row.publishedVersion,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
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
