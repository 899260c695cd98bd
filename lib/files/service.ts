import type { Readable } from "node:stream";
import { noteRequest } from "@/lib/events/noted-requests";
import { blobStore } from "@/lib/platform/blobs/blob-store";
import { adoptBlob, type StoredFile } from "@/lib/platform/blobs/service";
import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { AppError, invalidBody, invalidRequest } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { newId } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { requireRoomForBytes } from "@/lib/storage/service";
import type { FileModel } from "@/prisma/generated/models";
import { noLink, toAttachments } from "./attachments";
import { linkTo } from "./links";
import type { Attachment, File, FileFields, StoredAttachment } from "./schema";
import {
  deleteFilesStatement,
  isMessageReadableStatement,
  lockFilesStatement,
} from "./service.sql";

/**
 * Adds a stored file, which a message can then have. Without one, it is deleted after 24 hours.
 * @throws AppError `limit-reached` if the environment has used up its plan's storage
 */
export async function createFile(
  caller: Caller,
  { name }: FileFields,
  { blobKey, contentType, sizeBytes, sha256 }: StoredFile,
): Promise<File> {
  requireRole(caller, "MEMBER", "upload files");
  if (!name) throw invalidBody("/name", "required", "is required if the file has no name");
  await requireRoomForBytes(caller, sizeBytes);
  await adoptBlob(caller, blobKey);
  const createdAt = new Date();
  const row = await caller.db.file.create({
    data: {
      ...{ ...caller.partition, id: newId("file", createdAt), name, contentType, sizeBytes },
      ...{ sha256: new Uint8Array(sha256), blobKey, createdAt },
    },
  });
  await noteRequest(caller, row.id);
  return { ...toFile(row), ...linkTo(caller.partition, row.id) };
}

export async function getFile(caller: Caller, id: string): Promise<File> {
  return { ...toFile(await findFile(caller, id)), ...linkTo(caller.partition, id) };
}

async function findFile({ db, partition }: Caller, id: string): Promise<FileModel> {
  const found = await db.file.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (!found) throw notFound("file", id);
  const { messageId } = found;
  if (messageId) {
    const readable = await runSql(isMessageReadableStatement({ ...partition, messageId }));
    if (readable.length === 0) throw notFound("file", id);
  }
  return found;
}

/** The stored file, for someone with a valid link to it. */
export async function openFile(
  caller: Caller,
  id: string,
): Promise<{ file: File; open: () => Promise<Readable> }> {
  const row = await findFile(caller, id);
  const open = async () => {
    const stream = await (await blobStore()).get(row.blobKey);
    // Deleted since the row was read, and removed from the store.
    if (!stream) throw notFound("file", id);
    return stream;
  };
  return { file: toFile(row), open };
}

type LockedFile = StoredAttachment & { messageId: string | null };

/**
 * The files that a new message will have, in their order, locked until the transaction ends. Call
 * `attachFiles` once the message's row is written.
 * @throws AppError `validation` for an id of no file in this environment, `conflict` with the
 * message that has the file
 */
export async function lockFilesToAttach(
  caller: Caller,
  ids: readonly string[] = [],
  pointer = "/attachments",
): Promise<Attachment[]> {
  if (ids.length === 0) return toAttachments(null);
  const rows = await runSql<LockedFile>(lockFilesStatement({ ...caller.partition, ids }), caller);
  const found = new Map(rows.map((row) => [row.id, row]));
  const missing = ids.flatMap((id, index) => (found.has(id) ? [] : [index]));
  if (missing.length > 0) {
    throw invalidRequest(
      missing.map((index) => ({
        pointer: `${pointer}/${index}`,
        location: "body",
        code: "unknown_file",
        predicate: "must be the id of a file in this environment",
      })),
    );
  }
  const taken = rows.find(({ messageId }) => messageId !== null);
  if (taken?.messageId) {
    throw new AppError(
      "conflict",
      `The file ${taken.id} is already attached to a message. Upload it again to attach it to another.`,
      { existingId: taken.messageId },
    );
  }
  return toAttachments(ids.flatMap((id) => found.get(id) ?? []));
}

/** Call it after the message's row is written, with files that `lockFilesToAttach` returned. */
export async function attachFiles(
  { db, partition }: Caller,
  { id: messageId, attachments }: { id: string; attachments: readonly Attachment[] },
): Promise<void> {
  if (attachments.length === 0) return;
  const ids = attachments.map(({ id }) => id);
  await db.file.updateMany({ where: { ...partition, id: { in: ids } }, data: { messageId } });
}

/**
 * Deletes the files of messages whose rows stay. If a row is deleted, its files go with it. Either
 * way, the stored files are removed after the commit.
 * @returns their ids, to note in `deletions`: the requests that uploaded them remain
 */
export async function deleteFilesOfMessages(
  caller: Caller,
  messageIds: string[],
): Promise<string[]> {
  const deletion = deleteFilesStatement({ ...caller.partition, messageIds });
  return (await runSql<{ id: string }>(deletion, caller)).map(({ id }) => id);
}

function toFile(row: FileModel): File {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    contentType: row.contentType,
    sizeBytes: row.sizeBytes,
    sha256: Buffer.from(row.sha256).toString("hex"),
    messageId: row.messageId,
    ...noLink,
    createdAt: row.createdAt.toISOString(),
  };
}
