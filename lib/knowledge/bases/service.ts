import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes, timeOfChange } from "@/lib/platform/changes";
import type { Prisma } from "@/lib/platform/db";
import { alreadyExists, echo } from "@/lib/platform/errors";
import { type Metadata, mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { pageById, toPage } from "@/lib/resources/pages";
import { mostSorted, sortedPage } from "@/lib/resources/sorted-page";
import type { DocumentStatus } from "@/prisma/generated/enums";
import type { KnowledgeBaseModel } from "@/prisma/generated/models";
import {
  type CreateKnowledgeBase,
  type KnowledgeBase,
  type ListKnowledgeBases,
  longestBaseName,
  type SortKnowledgeBases,
  type UpdateKnowledgeBase,
} from "./schema";

export async function listKnowledgeBases(
  caller: Caller,
  { sort, ...page }: ListKnowledgeBases & Partial<Pick<SortKnowledgeBases, "sort">>,
) {
  const { db, partition } = caller;
  await requireCursor(caller, "knowledge_bases", page.cursor);
  if (sort) {
    const where = { ...partition, deletedAt: null };
    const select = { id: true, name: true, sizeBytes: true } as const;
    const rows = await db.knowledgeBase.findMany({
      ...{ where, select, orderBy: { id: "desc" }, take: mostSorted },
    });
    const keys = rows.map((row) => ({ ...row, sizeBytes: Number(row.sizeBytes) }));
    const { data, ...next } = await sortedPage(keys, sort, page, (ids) =>
      db.knowledgeBase.findMany({ where: { ...where, id: { in: ids } } }),
    );
    return { data: data.map(toKnowledgeBase), ...next };
  }
  const { after, orderBy, take } = pageById(page);
  const rows = await db.knowledgeBase.findMany({
    where: { ...partition, deletedAt: null, ...after },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, toKnowledgeBase);
}

export async function getKnowledgeBase(caller: Caller, id: string): Promise<KnowledgeBase> {
  return toKnowledgeBase(await requireKnowledgeBase(caller, id));
}

async function requireKnowledgeBase({ db, partition }: Caller, id: string) {
  const where = { tenantId_environment_id: { ...partition, id }, deletedAt: null };
  const found = await db.knowledgeBase.findUnique({ where });
  if (!found) throw notFound("knowledgeBase", id);
  return found;
}

/**
 * A knowledge base of another tenant or of the other environment gets the same 404 as a missing
 * one.
 */
export async function requireKnowledgeBases(
  { db, partition }: Caller,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await db.knowledgeBase.findMany({
    where: { ...partition, id: { in: [...ids] }, deletedAt: null },
    select: { id: true },
  });
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing) throw notFound("knowledgeBase", missing);
}

/** Names of knowledge bases, by id. Unknown ids are left out. */
export async function knowledgeBaseNames(
  { db, partition }: Caller,
  ids: string[],
): Promise<Map<string, string>> {
  const found = await db.knowledgeBase.findMany({
    where: { ...partition, id: { in: ids }, deletedAt: null },
    select: { id: true, name: true },
  });
  return new Map(found.map(({ id, name }) => [id, name]));
}

/** @throws AppError `conflict` with `existingId` if another one has the same name. */
export async function createKnowledgeBase(
  caller: Caller,
  { name, description, language, metadata }: CreateKnowledgeBase,
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
        language: language ?? null,
        metadata,
        createdAt: now,
        updatedAt: now,
      },
    ],
    skipDuplicates: true,
  });
  if (!row) throw await nameTaken(caller, name);
  const created = toKnowledgeBase(row);
  await recordEvent(caller, "knowledge_base.created", created);
  await recordAudit(caller, {
    action: "knowledge_base.created",
    targetId: created.id,
    changes: { after: { name } },
  });
  return created;
}

/** @throws AppError `conflict` with `existingId` if another one has the new name. */
export async function updateKnowledgeBase(
  caller: Caller,
  id: string,
  { metadata: metadataPatch, ...fields }: UpdateKnowledgeBase,
): Promise<KnowledgeBase> {
  requireRole(caller, "MEMBER", "change knowledge bases");
  await lockRow(caller, "knowledge_bases", id);
  const row = await requireKnowledgeBase(caller, id);
  const before = toKnowledgeBase(row);
  caller.requireMatch?.(before);
  const metadata = mergeMetadata(row.metadata, metadataPatch);
  const changed = changedFields(before, toKnowledgeBase({ ...row, ...fields, metadata }));
  if (changed.length === 0) return before;
  // If another transaction takes the name after this, the unique index repeats the transaction.
  if (changed.includes("name") && fields.name && (await idOfName(caller, fields.name)))
    throw await nameTaken(caller, fields.name);
  const at = timeOfChange(row.updatedAt);
  const data = { ...fields, metadata, updatedAt: at } satisfies Prisma.KnowledgeBaseUpdateInput;
  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const after = toKnowledgeBase(await caller.db.knowledgeBase.update({ where, data }));
  await recordEvent(caller, "knowledge_base.updated", after, {
    previousAttributes: previousAttributes(before, changed),
    at,
  });
  await recordAudit(caller, {
    action: "knowledge_base.updated",
    targetId: id,
    changes: { before: { name: before.name }, after: { name: after.name } },
  });
  return after;
}

const nameTaken = async (caller: Caller, name: string) =>
  alreadyExists(`A knowledge base with the name "${echo(name)}"`, await idOfName(caller, name));

async function idOfName({ db, partition }: Caller, name: string): Promise<string | undefined> {
  const where = { ...partition, name };
  return (await db.knowledgeBase.findFirst({ where, select: { id: true } }))?.id;
}

/**
 * The knowledge base disappears with its documents, and its name is free again. Its documents, of
 * which there can be many, are deleted by a job (lib/deletions). Agents keep its id.
 */
export async function deleteKnowledgeBase(caller: Caller, id: string) {
  requireRole(caller, "MEMBER", "delete knowledge bases");
  await lockRow(caller, "knowledge_bases", id);
  const row = await requireKnowledgeBase(caller, id);
  const before = toKnowledgeBase(row);
  caller.requireMatch?.(before);
  const nothing = { pendingCount: 0, processingCount: 0, readyCount: 0, failedCount: 0 };
  await caller.db.knowledgeBase.update({
    where: { tenantId_environment_id: { ...caller.partition, id } },
    data: {
      ...nothing,
      name: nameOfDeleted(id),
      description: null,
      metadata: {},
      sizeBytes: 0,
      deletedAt: new Date(),
    },
  });
  await caller.db.deletion.create({ data: { ...caller.partition, id } });
  await recordEvent(caller, "knowledge_base.deleted", {
    id,
    environment: caller.partition.environment,
  });
  await recordAudit(caller, {
    action: "knowledge_base.deleted",
    targetId: id,
    changes: { before: { name: before.name, documents: sum(before.documentCounts) } },
  });
  return { id, deleted: true as const };
}

/** Longer than the names that clients can send, so that it is none of these. */
const nameOfDeleted = (id: string) => id.padEnd(longestBaseName + 1, ".");

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

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
 * @returns whether the knowledge base is deleted, which does not change until then
 */
export async function countDocument(
  { db, partition }: Caller,
  id: string,
  { from, to, sizeBytes = 0 }: Change,
): Promise<{ isDeleted: boolean }> {
  const isCounted = from !== to;
  const { deletedAt } = await db.knowledgeBase.update({
    where: { tenantId_environment_id: { ...partition, id } },
    data: {
      ...(isCounted && from && { [counters[from]]: { decrement: 1 } }),
      ...(isCounted && to && { [counters[to]]: { increment: 1 } }),
      ...(sizeBytes !== 0 && { sizeBytes: { increment: sizeBytes } }),
    },
    select: { deletedAt: true },
  });
  return { isDeleted: deletedAt !== null };
}

export function toKnowledgeBase(row: KnowledgeBaseModel): KnowledgeBase {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    description: row.description,
    language: row.language,
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
