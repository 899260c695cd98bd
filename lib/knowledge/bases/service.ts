import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { alreadyExists, echo } from "@/lib/platform/errors";
import type { Metadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { pageById, toPage } from "@/lib/resources/pages";
import type { DocumentStatus } from "@/prisma/generated/enums";
import type { KnowledgeBaseModel } from "@/prisma/generated/models";
import type { CreateKnowledgeBase, KnowledgeBase, ListKnowledgeBases } from "./schema";

export async function listKnowledgeBases(caller: Caller, page: ListKnowledgeBases) {
  const { db, partition } = caller;
  await requireCursor(caller, "knowledge_bases", page.cursor);
  const { after, orderBy, take } = pageById(page);
  const rows = await db.knowledgeBase.findMany({
    where: { ...partition, ...after },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, toKnowledgeBase);
}

export async function getKnowledgeBase(
  { db, partition }: Caller,
  id: string,
): Promise<KnowledgeBase> {
  const found = await db.knowledgeBase.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (!found) throw notFound("knowledgeBase", id);
  return toKnowledgeBase(found);
}

/** Names of knowledge bases, by id. Unknown ids are left out. */
export async function knowledgeBaseNames(
  { db, partition }: Caller,
  ids: string[],
): Promise<Map<string, string>> {
  const found = await db.knowledgeBase.findMany({
    where: { ...partition, id: { in: ids } },
    select: { id: true, name: true },
  });
  return new Map(found.map(({ id, name }) => [id, name]));
}

/** @throws AppError `conflict` with `existingId` if another one has the same name. */
export async function createKnowledgeBase(
  caller: Caller,
  { name, description, metadata }: CreateKnowledgeBase,
) {
  requireRole(caller, "MEMBER", "create knowledge bases");
  const now = new Date();
  const id = newId("knowledgeBase", now);
  // The unique index decides, so concurrent calls create one.
  const [row] = await caller.db.knowledgeBase.createManyAndReturn({
    data: [
      {
        ...caller.partition,
        id,
        name,
        description: description ?? null,
        metadata,
        createdAt: now,
        updatedAt: now,
      },
    ],
    skipDuplicates: true,
  });
  if (!row) {
    const existing = await caller.db.knowledgeBase.findFirst({
      where: { ...caller.partition, name },
      select: { id: true },
    });
    throw alreadyExists(`A knowledge base with the name "${echo(name)}"`, existing?.id);
  }
  const created = toKnowledgeBase(row);
  await recordEvent(caller, "knowledge_base.created", created);
  await recordAudit(caller, {
    action: "knowledge_base.created",
    targetId: created.id,
    changes: { after: { name } },
  });
  return created;
}

const counters = {
  PENDING: "pendingCount",
  PROCESSING: "processingCount",
  READY: "readyCount",
  FAILED: "failedCount",
} as const satisfies Record<DocumentStatus, keyof KnowledgeBaseModel>;

type Change = { from: DocumentStatus | null; to: DocumentStatus | null; sizeBytes?: number };

/**
 * Updates the counts in the transaction that adds, removes or changes a document. Call it last,
 * because it locks the knowledge base's row until the transaction ends.
 */
export async function countDocument(
  { db, partition }: Caller,
  id: string,
  { from, to, sizeBytes = 0 }: Change,
): Promise<void> {
  await db.knowledgeBase.update({
    where: { tenantId_environment_id: { ...partition, id } },
    data: {
      ...(from && { [counters[from]]: { decrement: 1 } }),
      ...(to && { [counters[to]]: { increment: 1 } }),
      ...(sizeBytes !== 0 && { sizeBytes: { increment: sizeBytes } }),
    },
    select: { id: true },
  });
}

/** Bytes of all documents in the environment. */
export async function storedBytes({ db, partition }: Caller): Promise<number> {
  const { _sum } = await db.knowledgeBase.aggregate({
    where: partition,
    _sum: { sizeBytes: true },
  });
  return Number(_sum.sizeBytes ?? 0);
}

export function toKnowledgeBase(row: KnowledgeBaseModel): KnowledgeBase {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    description: row.description,
    documentCounts: {
      pending: row.pendingCount,
      processing: row.processingCount,
      ready: row.readyCount,
      failed: row.failedCount,
    },
    sizeBytes: Number(row.sizeBytes),
    metadata: row.metadata as Metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
