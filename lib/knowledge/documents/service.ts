import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { linkTo } from "@/lib/files/links";
import { countDocument, getKnowledgeBase } from "@/lib/knowledge/bases/service";
import { blobStore } from "@/lib/platform/blobs/blob-store";
import { abandonBlob, adoptBlob, type StoredFile } from "@/lib/platform/blobs/service";
import type { Caller } from "@/lib/platform/caller";
import { invalidBody } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { idsByStatus } from "@/lib/resources/page-by-status";
import { pageById, toPage } from "@/lib/resources/pages";
import { requireRoomForBytes } from "@/lib/storage/service";
import type { Document, DocumentFields, DocumentFile, ListDocuments } from "./schema";
import { lockDocument, requireDocument, requireNewBytes, toDocument } from "./stored-document";

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
  await requireNewBytes(caller, knowledgeBaseId, sha256);
  await requireRoomForBytes(caller, sizeBytes);
  const row = await caller.db.document.create({
    data: {
      ...{ ...caller.partition, id: newId("document", now), knowledgeBaseId, name, metadata },
      ...{ blobKey, contentType, sizeBytes, sha256, createdAt: now, updatedAt: now },
    },
  });
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
