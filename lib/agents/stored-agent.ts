import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes } from "@/lib/platform/changes";
import { AppError, agentArchived } from "@/lib/platform/errors";
import type { Metadata } from "@/lib/platform/metadata";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import type { AgentModel, AgentVersionModel } from "@/prisma/generated/models";
import type { Agent, AgentContent } from "./schema";

// Reads and writes the rows of an agent, for its draft (service.ts) and its versions (versions.ts).

export async function requireAgent({ db, partition }: Caller, id: string): Promise<AgentModel> {
  const found = await db.agent.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (!found) throw notFound("agent", id);
  return found;
}

/** Locks the row until the transaction ends, so that changes to one agent are serialized. */
export async function lockAgent(caller: Caller, id: string): Promise<AgentModel> {
  await lockRow(caller, "agents", id);
  return requireAgent(caller, id);
}

export async function requireVersion(
  { db, partition }: Caller,
  agentId: string,
  version: number,
): Promise<AgentVersionModel> {
  const where = { tenantId_environment_agentId_version: { ...partition, agentId, version } };
  const found = await db.agentVersion.findUnique({ where });
  if (!found) throw new AppError("not-found", `The agent has no version ${version}.`);
  return found;
}

export type AgentAction =
  | "agent.updated"
  | "agent.archived"
  | "agent.published"
  | "agent.rolled_back";

/** Writes the changes with their event and audit entry. Writes nothing if nothing changes. */
export async function writeAgent(
  caller: Caller,
  row: AgentModel,
  changes: Partial<AgentModel>,
  action: AgentAction,
  fromVersion?: number,
): Promise<Agent> {
  const before = toAgent(row);
  const changed = changedFields(before, toAgent({ ...row, ...changes }));
  if (changed.length === 0) return before;

  const { metadata, ...columns } = changes;
  // Always later than the previous time, so that no two drafts have the same time even if the
  // clocks of processes differ.
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
  const shown = isPublished ? { ...after, version: after.publishedVersion } : after;
  await recordEvent(caller, isPublished ? "agent.published" : "agent.updated", shown, {
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

/**
 * The `updatedAt` of the draft that the user saw when they acted. If the draft has changed since,
 * the action is refused. The API checks `If-Match` instead.
 */
export type SeenDraft = { draft?: string | undefined };

export function requireUnchangedDraft({ updatedAt }: AgentModel, { draft }: SeenDraft): void {
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

export function requireNotArchived({ status }: AgentModel): void {
  if (status === "ARCHIVED") throw agentArchived();
}

export function contentOf(row: AgentModel): AgentContent {
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

/** The draft. */
export function toAgent(row: AgentModel): Agent {
  return {
    id: row.id,
    environment: row.environment,
    status: row.status,
    ...contentOf(row),
    version: null,
    hasUnpublishedChanges: row.hasUnpublishedChanges,
    publishedVersion: row.publishedVersion,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
