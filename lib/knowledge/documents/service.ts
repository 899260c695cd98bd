import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { countDocument, getKnowledgeBase, storedBytes } from "@/lib/knowledge/bases/service";
import { abandonBlob, adoptBlob, type StoredFile } from "@/lib/platform/blobs/service";
import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { alreadyExists, invalidBody, limitReached, notInThisStatus } from "@/lib/platform/errors";
import type { Metadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockKind, lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { idsByStatus } from "@/lib/resources/page-by-status";
import { pageById, toPage } from "@/lib/resources/pages";
import { planOf, planStorageBytes } from "@/lib/tenants/service";
import type { DocumentModel } from "@/prisma/generated/models";
import type { ContentType } from "./content-type";
import { readMarked, toHtml } from "./excerpt";
import type {
  Document,
  DocumentErrorCode,
  DocumentFields,
  ListDocuments,
  Search,
  SearchResults,
} from "./schema";
import { searchStatement } from "./service.sql";

export async function listDocuments(
  caller: Caller,
  knowledgeBaseId: string,
  { status, ...page }: ListDocuments,
) {
  await getKnowledgeBase(caller, knowledgeBaseId);
  await requireCursor(caller, "documents", page.cursor, knowledgeBaseId);
  const { after, orderBy, take } = pageById(page);
  const ids =
    status &&
    (await idsByStatus("documents", caller.partition, {
      parentId: knowledgeBaseId,
      statuses: status,
      ...page,
    }));
  const filters = { knowledgeBaseId, ...(ids && { id: { in: ids } }) };
  const rows = await caller.db.document.findMany({
    where: { ...caller.partition, ...after, ...filters },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, toDocument);
}

/** For callers that have only a document's id. @returns the id of its knowledge base */
export async function knowledgeBaseOfDocument(
  { db, partition }: Caller,
  id: string,
): Promise<string> {
  const where = { tenantId_environment_id: { ...partition, id } };
  const found = await db.document.findUnique({ where, select: { knowledgeBaseId: true } });
  if (!found) throw notFound("document", id);
  return found.knowledgeBaseId;
}

export async function getDocument(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
): Promise<Document> {
  return toDocument(await requireDocument(caller, knowledgeBaseId, id));
}

/**
 * Adds a stored file to a knowledge base, where it waits to be processed.
 * @throws AppError `conflict` with `existingId` if the knowledge base has a document with the same
 * bytes; `limit-reached` if the environment has used up its plan's storage
 */
export async function createDocument(
  caller: Caller,
  knowledgeBaseId: string,
  fields: DocumentFields,
  file: StoredFile,
): Promise<Document> {
  requireRole(caller, "MEMBER", "upload documents");
  await getKnowledgeBase(caller, knowledgeBaseId);
  const { name, metadata } = fields;
  if (!name) throw invalidBody("/name", "required", "is required if the file has no name");

  const { blobKey, contentType, sizeBytes } = file;
  const sha256 = new Uint8Array(file.sha256);
  const now = new Date();
  const [row] = await caller.db.document.createManyAndReturn({
    data: [
      {
        ...{ ...caller.partition, id: newId("document", now), knowledgeBaseId, name, metadata },
        ...{ blobKey, contentType, sizeBytes, sha256, createdAt: now, updatedAt: now },
      },
    ],
    skipDuplicates: true,
  });
  if (!row) {
    const existing = await caller.db.document.findFirst({
      where: { ...caller.partition, knowledgeBaseId, sha256 },
      select: { id: true },
    });
    throw alreadyExists("A document with the same bytes in this knowledge base", existing?.id);
  }
  await requireRoomForBytes(caller, sizeBytes);
  await adoptBlob(caller, blobKey);
  const document = toDocument(row);
  await recordEvent(caller, "document.created", document);
  await recordAudit(caller, {
    action: "document.created",
    targetId: document.id,
    changes: { after: { name, knowledgeBaseId, sizeBytes } },
  });
  await countDocument(caller, knowledgeBaseId, { from: null, to: "PENDING", sizeBytes });
  caller.documents.push({ ...caller.partition, id: document.id });
  return document;
}

/** Call it before the document is added to the size of its knowledge base. */
async function requireRoomForBytes(caller: Caller, sizeBytes: number): Promise<void> {
  await lockKind(caller, "documents");
  const limit = planStorageBytes[await planOf(caller)];
  const current = await storedBytes(caller);
  if (current + sizeBytes <= limit) return;
  const figures = [limit, current, sizeBytes].map((bytes) => bytes.toLocaleString("en"));
  const detail = `An environment on your plan stores at most ${figures[0]} bytes of documents. It stores ${figures[1]}, and this one has ${figures[2]}.`;
  throw limitReached(`${detail} Delete documents that you no longer need, or upgrade your plan.`, {
    limit,
    current,
  });
}

/** Deletes the document with its chunks. Its file is removed after the commit. */
export async function deleteDocument(caller: Caller, knowledgeBaseId: string, id: string) {
  requireRole(caller, "MEMBER", "delete documents");
  const row = await lockDocument(caller, knowledgeBaseId, id);
  caller.requireMatch?.(toDocument(row));
  await caller.db.document.delete({
    where: { tenantId_environment_id: { ...caller.partition, id } },
    select: { id: true },
  });
  await abandonBlob(caller, row.blobKey);
  await recordEvent(caller, "document.deleted", toDocument(row));
  const { name, sizeBytes } = row;
  await recordAudit(caller, {
    action: "document.deleted",
    targetId: id,
    changes: { before: { name, knowledgeBaseId, sizeBytes } },
  });
  await countDocument(caller, knowledgeBaseId, {
    from: row.status,
    to: null,
    sizeBytes: -sizeBytes,
  });
  return { id, deleted: true as const };
}

/**
 * Queues a failed document for processing again. A document that already waits or is processing is
 * left alone.
 * @throws AppError `invalid-transition` if the document is ready
 */
export async function retryDocument(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
): Promise<Document> {
  requireRole(caller, "MEMBER", "process documents again");
  const row = await lockDocument(caller, knowledgeBaseId, id);
  if (row.status === "READY") {
    throw notInThisStatus("The document is ready, so it cannot be processed again.", {
      from: "READY",
      to: "PENDING",
    });
  }
  if (row.status !== "FAILED") return toDocument(row);
  const updated = await caller.db.document.update({
    where: { tenantId_environment_id: { ...caller.partition, id } },
    data: {
      status: "PENDING",
      errorCode: null,
      errorMessage: null,
      startedAt: null,
      updatedAt: new Date(),
    },
  });
  await recordAudit(caller, {
    action: "document.retried",
    targetId: id,
    changes: { before: { error: row.errorCode } },
  });
  await countDocument(caller, knowledgeBaseId, { from: "FAILED", to: "PENDING" });
  caller.documents.push({ ...caller.partition, id });
  return toDocument(updated);
}

type FoundChunk = { documentId: string; name: string; marked: string; score: number };

/**
 * Full-text search over the ready documents of one knowledge base. A query without a word finds
 * nothing.
 */
export async function searchDocuments(
  caller: Caller,
  knowledgeBaseId: string,
  { q, limit }: Search,
): Promise<SearchResults> {
  await getKnowledgeBase(caller, knowledgeBaseId);
  const rows = await runSql<FoundChunk>(
    searchStatement({ ...caller.partition, knowledgeBaseId, query: q, limit }),
    caller,
  );
  return {
    data: rows.map(({ marked, ...found }) => {
      const excerpt = readMarked(marked);
      return { ...found, ...excerpt, excerpt: toHtml(excerpt) };
    }),
  };
}

/** The chunks of a document in order, for the dashboard. */
export async function listChunks(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
  { after = -1, limit = 20 } = {},
) {
  await requireDocument(caller, knowledgeBaseId, id);
  return caller.db.documentChunk.findMany({
    where: { ...caller.partition, documentId: id, position: { gt: after } },
    select: { position: true, text: true },
    orderBy: { position: "asc" },
    take: limit,
  });
}

async function requireDocument(
  { db, partition }: Caller,
  knowledgeBaseId: string,
  id: string,
): Promise<DocumentModel> {
  const found = await db.document.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (found?.knowledgeBaseId !== knowledgeBaseId) throw notFound("document", id);
  return found;
}

/** Locks the row until the transaction ends, so that its status does not change in the meantime. */
async function lockDocument(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
): Promise<DocumentModel> {
  await lockRow(caller, "documents", id);
  return requireDocument(caller, knowledgeBaseId, id);
}

export function toDocument(row: DocumentModel): Document {
  return {
    id: row.id,
    knowledgeBaseId: row.knowledgeBaseId,
    name: row.name,
    contentType: row.contentType as ContentType,
    sizeBytes: row.sizeBytes,
    sha256: Buffer.from(row.sha256).toString("hex"),
    status: row.status,
    error:
      row.errorCode === null
        ? null
        : { code: row.errorCode as DocumentErrorCode, message: row.errorMessage ?? "" },
    characterCount: row.characterCount,
    chunkCount: row.chunkCount,
    metadata: row.metadata as Metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
