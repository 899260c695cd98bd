import { randomUUID } from "node:crypto";
import { recordEvent } from "@/lib/events/record-event";
import { countDocument } from "@/lib/knowledge/bases/service";
import { blobStore } from "@/lib/platform/blobs/blob-store";
import { verified } from "@/lib/platform/blobs/verified";
import {
  type Caller,
  type DocumentReference,
  mutate,
  type Partition,
  system,
} from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import type { Query } from "@/lib/platform/sql";
import { now } from "@/lib/platform/time";
import { chunkText } from "./chunk-text";
import type { ContentType } from "./content-type";
import { ExtractionError, extractText } from "./extract-text";
import {
  claimAbandonedStatement,
  claimNextStatement,
  claimOneStatement,
  clearChunksStatement,
  findStuckDocumentsStatement,
  insertChunksStatement,
  publishChunksStatement,
  releaseAllStatement,
  releaseStatement,
} from "./process-document.sql";
import { type DocumentErrorCode, documentErrors } from "./schema";
import { toDocument } from "./stored-document";

const log = logOf("documents");

const stuckSeconds = 15 * 60;
const chunksPerStatement = 250;
/**
 * The delay after an error that the file did not cause. The database or the store may be available
 * again by then.
 */
const retryAfterSeconds = 20;
/** A download that takes longer is tried again. */
const downloadMs = 45_000;

type ClaimedDocument = DocumentReference & {
  blobKey: string;
  contentType: ContentType;
  sizeBytes: number;
  sha256: Buffer;
  leaseHolder: string;
};

/** The partition that the round-robin scan served last. */
export type RoundRobinPosition = Partition;
/** Sorts before every tenant. */
export const roundRobinStart: RoundRobinPosition = { tenantId: "", environment: "live" };

type Options = { signal?: AbortSignal | undefined };

/**
 * Processes one document: one whose process is gone, or the oldest of the next tenant in a
 * round-robin scan, so that a thousand documents of one tenant do not delay another tenant's first.
 * @returns the partition of the document, or null if there is none
 */
export async function processNextDocument(
  turn: RoundRobinPosition,
  { overdueSeconds = 0, signal }: Options & { overdueSeconds?: number } = {},
): Promise<RoundRobinPosition | null> {
  const next = (after: RoundRobinPosition) =>
    claim((leaseHolder) =>
      claimNextStatement({
        leaseHolder,
        afterTenantId: after.tenantId,
        afterEnvironment: after.environment,
        overdueSeconds,
      }),
    );
  const claimed =
    (await claim((leaseHolder) => claimAbandonedStatement({ leaseHolder }))) ??
    (await next(turn)) ??
    (turn.tenantId ? await next(roundRobinStart) : null);
  if (!claimed) return null;
  await processClaimed(claimed, { signal });
  return { tenantId: claimed.tenantId, environment: claimed.environment };
}

/** Processes this document, unless it is done or another process has it. @returns whether it did */
export async function processDocument(
  { tenantId, environment, id }: DocumentReference,
  options: Options = {},
): Promise<boolean> {
  const claimed = await claim((leaseHolder) =>
    claimOneStatement({ leaseHolder, tenantId, environment, id }),
  );
  if (claimed) await processClaimed(claimed, options);
  return claimed !== null;
}

const askAgainMs = 1_000;

/**
 * The same for a job clock that retries by itself.
 * @returns when to retry (RFC 3339), after an error that the file did not cause or while another
 * process has it; null if the document is done or gone
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
  const soon = now().getTime() + askAgainMs;
  return { retryAt: new Date(Math.max(soon, row.leaseExpiresAt?.getTime() ?? 0)).toISOString() };
}

async function claim(toQuery: (leaseHolder: string) => Query): Promise<ClaimedDocument | null> {
  const leaseHolder = randomUUID();
  const [row] = await runSql<Omit<ClaimedDocument, "leaseHolder">>(toQuery(leaseHolder));
  return row ? { ...row, leaseHolder } : null;
}

/**
 * Sets the document to READY or FAILED. Only after an error of the database or the store is it left
 * for another try.
 */
async function processClaimed(document: ClaimedDocument, { signal }: Options): Promise<void> {
  try {
    const text = await readText(document, signal);
    const chunkCount = await writeChunks(document, text);
    if (chunkCount !== null) await publish(document, { characterCount: text.length, chunkCount });
  } catch (error) {
    if (error instanceof ExtractionError) return void (await fail(document, error.code));
    if (!signal?.aborted)
      log.warn(
        { document: document.id, error: (error as Error).message },
        "a document will be tried again",
      );
    const delaySeconds = signal?.aborted ? 0 : retryAfterSeconds;
    await runSql(releaseStatement({ ...heldBy(document), delaySeconds }));
  }
}

async function readText(
  { blobKey, contentType, id, ...facts }: ClaimedDocument,
  signal: AbortSignal | undefined,
): Promise<string> {
  const store = await blobStore();
  const isTooSlow = AbortSignal.timeout(downloadMs);
  const download = signal ? AbortSignal.any([signal, isTooSlow]) : isTooSlow;
  const file = await store.get(blobKey, download);
  if (file) return extractText(verified(file, facts, download), contentType, { signal });
  log.error({ document: id, blobKey }, "a document's file is gone");
  throw new ExtractionError("internal");
}

/**
 * Writes the chunks in statements of moderate size, so that none takes long. Until the document is
 * ready, search ignores them and finds those of the file that this one replaces.
 */
async function writeChunks(document: ClaimedDocument, text: string): Promise<number | null> {
  if (!(await isHeld(clearChunksStatement(heldBy(document))))) return null;
  let count = 0;
  let batch: string[] = [];
  const flush = async () => {
    const isStillHeld = await isHeld(
      insertChunksStatement({ ...heldBy(document), firstPosition: count, texts: batch }),
    );
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

const heldBy = ({ leaseHolder, tenantId, environment, id }: ClaimedDocument) => ({
  leaseHolder,
  tenantId,
  environment,
  id,
});

const isHeld = async (query: Query): Promise<boolean> => (await runSql(query)).length > 0;

const publish = (
  document: ClaimedDocument,
  counts: { characterCount: number; chunkCount: number },
) =>
  finish(document, "READY", async (caller) => {
    const published = publishChunksStatement({ ...heldBy(document), ...counts });
    return (await runSql(published, caller)).length > 0;
  });

/** The process that holds the lease, or any process since the document was first claimed. */
type Processing = { leaseHolder: string } | { startedAt: Date };

/** Only while this processing continues. */
function fail(
  document: DocumentReference & Processing,
  errorCode: DocumentErrorCode,
): Promise<boolean> {
  const { tenantId, environment, id } = document;
  const processing =
    "leaseHolder" in document
      ? { leaseHolder: document.leaseHolder }
      : { startedAt: document.startedAt };
  const error = { errorCode, errorMessage: documentErrors[errorCode] };
  const data = { ...error, status: "FAILED" as const, leaseHolder: null, leaseExpiresAt: null };
  return finish(
    document,
    "FAILED",
    async ({ db }) => {
      const { count } = await db.document.updateMany({
        where: { tenantId, environment, id, ...processing, status: "PROCESSING" },
        data: { ...data, updatedAt: now() },
      });
      return count > 0;
    },
    errorCode,
  );
}

/**
 * Records the event of a final status once, unless the knowledge base is deleted.
 * @param set sets the status, only while the document is being processed. @returns whether it did
 */
async function finish(
  { tenantId, environment, id }: DocumentReference,
  status: "READY" | "FAILED",
  set: (caller: Caller) => Promise<boolean>,
  error: DocumentErrorCode | "none" = "none",
): Promise<boolean> {
  const partition = { tenantId, environment };
  const hasFinished = await mutate(system(partition), async (caller: Caller) => {
    if (!(await set(caller))) return false;
    const row = await caller.db.document.findUniqueOrThrow({
      where: { tenantId_environment_id: { ...partition, id } },
    });
    // Counted first, so that the knowledge base cannot be deleted before the event is recorded. The
    // documents of a deleted one raise no event of their own.
    const change = { from: "PROCESSING", to: status } as const;
    const { isDeleted } = await countDocument(caller, row.knowledgeBaseId, change);
    if (!isDeleted) {
      const type = status === "READY" ? "document.ready" : "document.failed";
      await recordEvent(caller, type, toDocument(row));
    }
    return true;
  });
  if (hasFinished) meter()?.count("documents", { error });
  return hasFinished;
}

/**
 * Call it only while a single worker runs, before it claims anything: any lease belongs to a
 * predecessor that was killed. @returns how many documents were released
 */
export async function releaseDocuments(): Promise<number> {
  return (await runSql(releaseAllStatement({}))).length;
}

const leftOutDocuments = leaveOut("a stuck document could not be failed and will be tried again");

/**
 * Fails documents that have been processing for 15 minutes, no matter how often they were retried.
 * A process still working on one can no longer finish it. Documents that wait to be claimed are not
 * stuck and keep waiting.
 */
export async function failStuckDocuments(limit: number): Promise<number> {
  const rows = await runSql<DocumentReference & { startedAt: Date }>(
    findStuckDocumentsStatement({ stuckSeconds, except: leftOutDocuments.ids(), limit }),
  );
  for (const stuck of rows) {
    const { tenantId, environment, id } = stuck;
    await leftOutDocuments.attempt(id, { tenantId, environment, documentId: id }, () =>
      fail(stuck, "timeout"),
    );
  }
  return rows.length;
}
