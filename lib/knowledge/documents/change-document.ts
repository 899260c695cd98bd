import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { countDocument } from "@/lib/knowledge/bases/service";
import { abandonBlob, adoptBlob, type StoredFile } from "@/lib/platform/blobs/service";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes } from "@/lib/platform/changes";
import { invalidBody, notInThisStatus } from "@/lib/platform/errors";
import { type Metadata, mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireRoomForBytes } from "@/lib/storage/service";
import type { DocumentModel } from "@/prisma/generated/models";
import type { Document, ReplaceDocumentFields, UpdateDocument } from "./schema";
import { lockDocument, requireNewBytes, toDocument } from "./stored-document";

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
  // An environment over its quota can still replace a document with one that is not larger.
  if (addedBytes > 0) await requireRoomForBytes(caller, addedBytes);
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
