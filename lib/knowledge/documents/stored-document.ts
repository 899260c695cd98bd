import type { Caller } from "@/lib/platform/caller";
import { alreadyExists } from "@/lib/platform/errors";
import type { Metadata } from "@/lib/platform/metadata";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import type { DocumentModel } from "@/prisma/generated/models";
import type { ContentType } from "./content-type";
import type { Document, DocumentErrorCode } from "./schema";

export async function requireDocument(
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
export async function lockDocument(
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

/**
 * If another transaction stores the bytes after this, the unique index repeats the transaction.
 * @param id a document that may have them
 */
export async function requireNewBytes(
  { db, partition }: Caller,
  knowledgeBaseId: string,
  sha256: Uint8Array<ArrayBuffer>,
  id?: string,
): Promise<void> {
  const existing = await db.document.findFirst({
    where: { ...partition, knowledgeBaseId, sha256, ...(id && { id: { not: id } }) },
    select: { id: true },
  });
  if (existing)
    throw alreadyExists("A document with the same bytes in this knowledge base", existing.id);
}
