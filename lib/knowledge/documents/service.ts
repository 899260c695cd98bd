import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { linkTo } from "@/lib/files/links";
import {
  countDocument,
  getKnowledgeBase,
  requireKnowledgeBases,
} from "@/lib/knowledge/bases/service";
import { blobStore } from "@/lib/platform/blobs/blob-store";
import { abandonBlob, adoptBlob, type StoredFile } from "@/lib/platform/blobs/service";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes } from "@/lib/platform/changes";
import { readRows, runSql } from "@/lib/platform/db";
import { alreadyExists, invalidBody, notInThisStatus } from "@/lib/platform/errors";
import { type Metadata, mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { idsByStatus } from "@/lib/resources/page-by-status";
import { pageById, toPage } from "@/lib/resources/pages";
import { requireRoomForBytes } from "@/lib/storage/service";
import type { DocumentModel } from "@/prisma/generated/models";
import { toAnyWord } from "./any-word";
import type { ContentType } from "./content-type";
import { readMarked, toHtml } from "./excerpt";
import type {
  Document,
  DocumentErrorCode,
  DocumentFields,
  DocumentFile,
  KnowledgeHit,
  KnowledgeHits,
  ListDocuments,
  ReplaceDocumentFields,
  Search,
  SearchKnowledge,
  SearchResults,
  UpdateDocument,
} from "./schema";
import { searchBasesStatement, searchStatement } from "./service.sql";

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
    (await idsByStatus("documents", caller, {
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

/**
 * If another transaction stores the bytes after this, the unique index repeats the transaction.
 * @param id the document that may have them
 */
async function requireNewBytes(
  { db, partition }: Caller,
  knowledgeBaseId: string,
  sha256: Uint8Array<ArrayBuffer>,
  id: string,
): Promise<void> {
  const existing = await db.document.findFirst({
    where: { ...partition, knowledgeBaseId, sha256, id: { not: id } },
    select: { id: true },
  });
  if (existing)
    throw alreadyExists("A document with the same bytes in this knowledge base", existing.id);
}

/** The uploaded file, with a new link to download it. */
export async function getDocumentFile(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
): Promise<DocumentFile> {
  const { name, contentType, sizeBytes, sha256 } = await getDocument(caller, knowledgeBaseId, id);
  const file = { documentId: id, name, contentType, sizeBytes, sha256 };
  return { ...file, ...linkTo(caller.partition, id) };
}

/** The uploaded file, for someone with a valid link to it. */
export async function openDocument(caller: Caller, id: string) {
  const row = await requireDocument(caller, await knowledgeBaseOfDocument(caller, id), id);
  const open = async () => {
    const stream = await (await blobStore()).get(row.blobKey);
    // Deleted or replaced since the row was read, and removed from the store.
    if (!stream) throw notFound("document", id);
    return stream;
  };
  return { file: toDocument(row), open };
}

/** Changes the name and metadata, which a search does not read. */
export async function updateDocument(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
  { metadata: metadataPatch, ...fields }: UpdateDocument,
): Promise<Document> {
  requireRole(caller, "MEMBER", "change documents");
  const row = await lockDocument(caller, knowledgeBaseId, id);
  caller.requireMatch?.(toDocument(row));
  const metadata = mergeMetadata(row.metadata, metadataPatch);
  const updated = await changeDocument(caller, row, { ...fields, metadata });
  if (updated.name !== row.name) {
    await recordAudit(caller, {
      action: "document.updated",
      targetId: id,
      changes: { before: { name: row.name }, after: { name: updated.name } },
    });
  }
  return updated;
}

/**
 * Replaces the document's file, which is then processed. Until that succeeds, a search finds the
 * text of the earlier file.
 * @throws AppError `conflict` with `existingId` if another document of the knowledge base has the
 * same bytes; `limit-reached` if the environment has used up its plan's storage
 */
export async function replaceDocument(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
  { name }: ReplaceDocumentFields,
  { blobKey, contentType, sizeBytes, ...file }: StoredFile,
): Promise<Document> {
  requireRole(caller, "MEMBER", "replace documents");
  if (!name) throw invalidBody("/name", "required", "is required if the file has no name");
  const row = await lockDocument(caller, knowledgeBaseId, id);
  caller.requireMatch?.(toDocument(row));
  const sha256 = new Uint8Array(file.sha256);
  const isSame = file.sha256.equals(row.sha256) && contentType === row.contentType;
  if (isSame && row.status !== "FAILED") return changeDocument(caller, row, { name });

  await requireNewBytes(caller, knowledgeBaseId, sha256, id);
  const addedBytes = sizeBytes - row.sizeBytes;
  await requireRoomForBytes(caller, Math.max(0, addedBytes));
  await adoptBlob(caller, blobKey);
  await abandonBlob(caller, row.blobKey);
  const content = { name, blobKey, contentType, sizeBytes, sha256 };
  const updated = await changeDocument(caller, row, { ...content, ...waiting });
  await recordAudit(caller, {
    action: "document.replaced",
    targetId: id,
    changes: {
      before: { name: row.name, sizeBytes: row.sizeBytes },
      after: { name, sizeBytes },
    },
  });
  const counted = { from: row.status, to: "PENDING", sizeBytes: addedBytes } as const;
  await countDocument(caller, knowledgeBaseId, counted);
  caller.documents.push({ ...caller.partition, id });
  return updated;
}

/** Waits to be processed. A process that is reading the document can no longer finish it. */
const waiting = {
  status: "PENDING",
  errorCode: null,
  errorMessage: null,
  leaseHolder: null,
  leaseExpiresAt: null,
  startedAt: null,
} as const;

/** @param row the document's row, which the transaction has locked */
async function changeDocument(
  caller: Caller,
  row: DocumentModel,
  data: Omit<Partial<DocumentModel>, "metadata"> & { metadata?: Metadata },
): Promise<Document> {
  const before = toDocument(row);
  const changed = changedFields(before, toDocument({ ...row, ...data }));
  if (changed.length === 0) return before;
  // Not after this moment, however far ahead the clock of an earlier change was: a document that
  // waits is claimed from then on.
  const at = new Date();
  const updated = await caller.db.document.update({
    where: { tenantId_environment_id: { ...caller.partition, id: row.id } },
    data: { ...data, updatedAt: at },
  });
  const after = toDocument(updated);
  await recordEvent(caller, "document.updated", after, {
    previousAttributes: previousAttributes(before, changed),
    at,
  });
  return after;
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
  caller.requireMatch?.(toDocument(row));
  if (row.status === "READY") {
    throw notInThisStatus("The document is ready, so it cannot be processed again.", {
      from: "READY",
      to: "PENDING",
    });
  }
  if (row.status !== "FAILED") return toDocument(row);
  const updated = await changeDocument(caller, row, waiting);
  await recordAudit(caller, {
    action: "document.retried",
    targetId: id,
    changes: { before: { error: row.errorCode } },
  });
  await countDocument(caller, knowledgeBaseId, { from: "FAILED", to: "PENDING" });
  caller.documents.push({ ...caller.partition, id });
  return updated;
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

type FoundPart = Omit<KnowledgeHit, "text" | "ranges"> & { marked: string };

/** Full-text search over the ready documents of several knowledge bases. */
export async function searchKnowledge(
  caller: Caller,
  { q, knowledgeBaseIds, match, neighbors, limit }: SearchKnowledge,
): Promise<KnowledgeHits> {
  await requireKnowledgeBases(caller, knowledgeBaseIds);
  const words = match === "any" ? toAnyWord(q) : { wanted: q, unwanted: "" };
  const rows = await readRows<FoundPart>(
    searchBasesStatement({ ...caller.partition, knowledgeBaseIds, ...words, neighbors, limit }),
    caller,
  );
  return { data: rows.map(({ marked, ...found }) => ({ ...found, ...readMarked(marked) })) };
}

/** The chunks of a document in order, for the dashboard. */
export async function listChunks(
  caller: Caller,
  knowledgeBaseId: string,
  id: string,
  { after = -1, limit = 20 } = {},
) {
  const { firstPosition, chunkCount } = await requireDocument(caller, knowledgeBaseId, id);
  const range = { gt: firstPosition + after, lt: firstPosition + (chunkCount ?? 0) };
  const chunks = await caller.db.documentChunk.findMany({
    where: { ...caller.partition, documentId: id, position: range },
    select: { position: true, text: true },
    orderBy: { position: "asc" },
    take: limit,
  });
  return chunks.map(({ position, text }) => ({ position: position - firstPosition, text }));
}

async function requireDocument(
  { db, partition }: Caller,
  knowledgeBaseId: string,
  id: string,
): Promise<DocumentModel> {
  // A job deletes the documents of a deleted knowledge base.
  const isReadable = { knowledgeBase: { deletedAt: null } };
  const found = await db.document.findUnique({
    where: { tenantId_environment_id: { ...partition, id }, ...isReadable },
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
