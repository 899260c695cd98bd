import { randomUUID } from "node:crypto";
import { recordEvent } from "@/lib/events/record-event";
import { countDocument } from "@/lib/knowledge/bases/service";
import { blobStore } from "@/lib/platform/blobs/blob-store";
import {
  type Caller,
  type DocumentReference,
  mutate,
  type Partition,
  system,
} from "@/lib/platform/caller";
import { db, type Prisma, runStatement, type Statement } from "@/lib/platform/db";
import { log } from "@/lib/platform/log";
import { currentTime } from "@/lib/platform/time";
import { chunkText } from "./chunk-text";
import type { ContentType } from "./content-type";
import { ExtractionError, extractText } from "./extract-text";
import {
  claimAbandonedStatement,
  claimNextStatement,
  claimOneStatement,
  clearChunksStatement,
  insertChunksStatement,
  releaseAllStatement,
  releaseStatement,
  stuckStatement,
} from "./process-document.sql";
import { type DocumentErrorCode, documentErrors } from "./schema";
import { toDocument } from "./service";

const stuckSeconds = 15 * 60;
const chunksPerStatement = 250;
/** After an error that is not the file's: the database or the store may be back by then. */
const retryAfterSeconds = 20;

type ClaimedDocument = DocumentReference & {
  blobKey: string;
  contentType: ContentType;
  leaseHolder: string;
};

/** Whose turn it was last. */
export type RoundRobinPosition = Partition;
/** Before every tenant's. */
export const roundRobinStart: RoundRobinPosition = { tenantId: "", environment: "live" };

type Options = { signal?: AbortSignal | undefined };

/**
 * Processes one document: one that was left by a process that is gone, or the oldest of the next
 * tenant that has any, so that one tenant's thousand do not stand before another's first.
 * @returns whose it was, or null where there is none
 */
export async function processNextDocument(
  turn: RoundRobinPosition,
  { overdueSeconds = 0, signal }: Options & { overdueSeconds?: number } = {},
): Promise<RoundRobinPosition | null> {
  const next = (after: RoundRobinPosition) =>
    claim(claimNextStatement, [after.tenantId, after.environment, overdueSeconds]);
  const claimed =
    (await claim(claimAbandonedStatement, [])) ??
    (await next(turn)) ??
    (turn.tenantId ? await next(roundRobinStart) : null);
  if (!claimed) return null;
  await processClaimed(claimed, { signal });
  return { tenantId: claimed.tenantId, environment: claimed.environment };
}

/** Processes this document, unless it is done or another is at it. @returns whether it did */
export async function processDocument(
  { tenantId, environment, id }: DocumentReference,
  options: Options = {},
): Promise<boolean> {
  const claimed = await claim(claimOneStatement, [tenantId, environment, id]);
  if (claimed) await processClaimed(claimed, options);
  return claimed !== null;
}

const askAgainMs = 1_000;

/**
 * The same for a clock that asks again by itself.
 * @returns when that is worth it (RFC 3339): after an error that is not the file's, or while
 * another is at it; null where
 *   the document is done or gone
 */
export async function attemptDocument(
  reference: DocumentReference,
): Promise<{ retryAt: string | null }> {
  await processDocument(reference);
  const { tenantId, environment, id } = reference;
  const where = { tenantId_environment_id: { tenantId, environment, id } };
  const row = await db().document.findUnique({
    where,
    select: { status: true, leaseExpiresAt: true },
  });
  if (row?.status !== "PENDING" && row?.status !== "PROCESSING") return { retryAt: null };
  const soon = (currentTime() ?? new Date()).getTime() + askAgainMs;
  return { retryAt: new Date(Math.max(soon, row.leaseExpiresAt?.getTime() ?? 0)).toISOString() };
}

async function claim(statement: Statement, values: unknown[]): Promise<ClaimedDocument | null> {
  const leaseHolder = randomUUID();
  const [row] = await runStatement<Omit<ClaimedDocument, "leaseHolder">>(statement, [
    currentTime(),
    leaseHolder,
    ...values,
  ]);
  return row ? { ...row, leaseHolder } : null;
}

/**
 * To its end, whatever that is; only what is wrong with the database or the store leaves it to be
 * taken up again.
 */
async function processClaimed(document: ClaimedDocument, { signal }: Options): Promise<void> {
  try {
    const text = await readText(document, signal);
    const chunkCount = await writeChunks(document, text);
    if (chunkCount !== null)
      await finish(document, "READY", { characterCount: text.length, chunkCount });
  } catch (error) {
    if (error instanceof ExtractionError) return void (await fail(document, error.code));
    if (!signal?.aborted)
      log.warn(
        { document: document.id, error: (error as Error).message },
        "a document will be tried again",
      );
    await runStatement(releaseStatement, [
      ...fence(document),
      signal?.aborted ? 0 : retryAfterSeconds,
    ]);
  }
}

async function readText(
  { blobKey, contentType, id }: ClaimedDocument,
  signal: AbortSignal | undefined,
): Promise<string> {
  const store = await blobStore();
  const file = await store.get(blobKey);
  if (file) return extractText(file, contentType, { signal });
  log.error({ document: id, blobKey }, "a document's file is gone");
  throw new ExtractionError("internal");
}

/**
 * In statements of moderate size, so that none takes long. Nothing of them is found before the
 * document is ready.
 */
async function writeChunks(document: ClaimedDocument, text: string): Promise<number | null> {
  if (!(await isHeld(clearChunksStatement, fence(document)))) return null;
  let count = 0;
  let batch: string[] = [];
  const flush = async () => {
    const isStillHeld = await isHeld(insertChunksStatement, [...fence(document), count, batch]);
    count += batch.length;
    batch = [];
    return isStillHeld;
  };
  for (const chunk of chunkText(text)) {
    batch.push(chunk);
    if (batch.length >= chunksPerStatement && !(await flush())) return null;
  }
  return batch.length === 0 || (await flush()) ? count : null;
}

const fence = ({ leaseHolder, tenantId, environment, id }: ClaimedDocument) => [
  currentTime(),
  leaseHolder,
  tenantId,
  environment,
  id,
];

async function isHeld(statement: Statement, values: unknown[]): Promise<boolean> {
  return (await runStatement(statement, values)).length > 0;
}

const fail = (document: DocumentReference & { leaseHolder?: string }, code: DocumentErrorCode) =>
  finish(document, "FAILED", { errorCode: code, errorMessage: documentErrors[code] });

/**
 * The end and its event, once: only while it is being processed, by this holder where there is one.
 */
async function finish(
  { tenantId, environment, id, leaseHolder }: DocumentReference & { leaseHolder?: string },
  status: "READY" | "FAILED",
  result: Prisma.DocumentUpdateManyMutationInput,
): Promise<boolean> {
  const partition = { tenantId, environment };
  return mutate(system(partition), async (caller: Caller) => {
    const { count } = await caller.db.document.updateMany({
      where: { ...partition, id, status: "PROCESSING", ...(leaseHolder && { leaseHolder }) },
      data: {
        ...result,
        status,
        leaseHolder: null,
        leaseExpiresAt: null,
        updatedAt: currentTime() ?? new Date(),
      },
    });
    if (count === 0) return false;
    const row = await caller.db.document.findUniqueOrThrow({
      where: { tenantId_environment_id: { ...partition, id } },
    });
    await recordEvent(
      caller,
      status === "READY" ? "document.ready" : "document.failed",
      toDocument(row),
    );
    await countDocument(caller, row.knowledgeBaseId, { from: "PROCESSING", to: status });
    return true;
  });
}

/**
 * For a worker that knows itself to be the only one, before it claims: whatever is leased belonged
 * to a predecessor that was killed. @returns how many documents that were
 */
export async function releaseDocuments(): Promise<number> {
  return (await runStatement(releaseAllStatement, [])).length;
}

/**
 * Gives up what has been processed for 15 minutes, however often it was taken up: whoever is still
 * at it cannot end it any more. What waits for its turn is not stuck, and goes on waiting.
 */
export async function failStuckDocuments(limit: number): Promise<number> {
  const rows = await runStatement<DocumentReference>(stuckStatement, [
    currentTime(),
    stuckSeconds,
    limit,
  ]);
  for (const reference of rows) await fail(reference, "timeout");
  return rows.length;
}
