import type { IdempotencyRecord, Serialize } from "@/lib/events/idempotency-record";
import { type StoredFile, withStoredFile } from "@/lib/platform/blobs/service";
import { type Caller, type Identity, isOvertaken, mutate, reader } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { hasReplica } from "@/lib/platform/db";
import { atDeadline } from "@/lib/platform/deadlines";
import { AppError, idempotencyInProgress, idempotencyKeyReused } from "@/lib/platform/errors";
import { readFromReplica } from "@/lib/platform/replica";
import { noteWrite } from "@/lib/platform/write-positions";
import {
  findStoredResponse,
  hasWaitedForRecord,
  insertRecord,
  type StoredResponse,
  storeResponse,
} from "./idempotency";
import type { Declaration } from "./operation";
import { toProblem } from "./problem";
import type { ReceivedUpload } from "./read-upload";
import { compileSerializer } from "./serialize";

/**
 * The status and JSON of a response, before it is compressed. `version` is the JSON without its
 * links, if it has any.
 */
export type JsonResponse = StoredResponse & { isReplay?: boolean; version?: string };

/** A request that was read and validated, and whose change is about to be made. */
export type Change = {
  declaration: Declaration;
  identity: Identity;
  record: IdempotencyRecord | null;
  input: { params: unknown; query: unknown; body: unknown };
  file: ReceivedUpload["file"];
  /** The request's path, for problem documents. */
  path: string;
};

/** A change that this process is making under an idempotency key. */
type Making = { fingerprint: Buffer; response: Promise<JsonResponse> };

const running = new Map<string, Making>();

/**
 * Keys whose response this process has already stored or read. A request with one of them is most
 * likely a replay, so the response is looked up before the change is attempted. This is only a
 * hint: the database decides.
 */
const keysWithResponse = new Set<string>();
const maximumKeysWithResponse = 10_000;

/**
 * Makes a change once per idempotency key, even if many requests with that key arrive concurrently.
 * Within one process, the other requests wait here without holding a connection, and get the same
 * response. Requests in other processes wait in the database.
 */
export async function perform(change: Change): Promise<JsonResponse> {
  const { record, identity } = change;
  if (!record) return makeWithFile(change);

  const name = `${identity.partition.tenantId} ${identity.partition.environment} ${record.key}`;
  const deadlineMs = performance.now() + databaseWaits.lock;
  for (let earlier = running.get(name); earlier; earlier = running.get(name)) {
    const response = await outcomeOf(earlier.response, deadlineMs - performance.now());
    if (response === "late") throw idempotencyInProgress();
    if (response === "failed") {
      const stored = await replay(identity, record);
      if (stored) return stored;
      continue;
    }
    if (!earlier.fingerprint.equals(record.fingerprint)) throw idempotencyKeyReused();
    return { ...response, isReplay: true };
  }
  const response = replayOrMake(change, record, keysWithResponse.has(name));
  running.set(name, { fingerprint: record.fingerprint, response });
  try {
    return await response;
  } finally {
    running.delete(name);
    if (keysWithResponse.size >= maximumKeysWithResponse) keysWithResponse.clear();
    keysWithResponse.add(name);
  }
}

async function replayOrMake(
  change: Change,
  record: IdempotencyRecord,
  hasResponse: boolean,
): Promise<JsonResponse> {
  const earlier = hasResponse && (await replay(change.identity, record));
  return earlier || makeWithFile(change);
}

/** The outcome of another request with the same key, if it ends within that time. */
function outcomeOf(
  response: Promise<JsonResponse>,
  withinMs: number,
): Promise<JsonResponse | "failed" | "late"> {
  return new Promise((resolve) => {
    const cancel = atDeadline(withinMs, () => resolve("late"));
    response.then(resolve, () => resolve("failed")).finally(cancel);
  });
}

/**
 * Stores the file before the change, unless there is a response to replay. If the change is then
 * replayed or refused after all, the file is removed.
 */
async function makeWithFile(change: Change): Promise<JsonResponse> {
  const { file, identity, record } = change;
  if (!file) return make(change, undefined);
  const earlier = record && (await replay(identity, record));
  if (earlier) return earlier;
  return withStoredFile(identity.partition, file, (stored) => make(change, stored));
}

async function make(change: Change, file: StoredFile | undefined): Promise<JsonResponse> {
  const { declaration, identity, record, input } = change;
  const { status = 200, statusIfNew = status } = declaration;
  const serialize = serializerOf(declaration);
  if (declaration.runInOneStatement) {
    const body = await declaration
      .runInOneStatement({ ...input, identity, record, serialize })
      .catch(async (error: unknown) => {
        if (record && (await hasWaitedForRecord(error, identity.partition, record)))
          throw idempotencyInProgress();
        return nullIfOvertaken(error);
      });
    if (body !== null) {
      if (hasReplica()) await noteWrite(identity);
      return { status, body };
    }
  }
  const run = async (caller: Caller): Promise<StoredResponse> => {
    const result = await declaration.run({ ...input, caller, file });
    return { status: result.isNew ? statusIfNew : status, body: serialize(result) };
  };
  if (!record) {
    if (!declaration.changesNothing) return mutate(identity, run);
    return declaration.mayReadReplica ? readFromReplica(identity, run) : run(reader(identity));
  }

  const earlier = await replay(identity, record);
  if (earlier) return earlier;
  try {
    const response = await mutate(identity, async (caller) => {
      if (!(await insertRecord(caller, identity.partition, record, "", new Date()))) return null;
      const response = await run(caller);
      await storeResponse(
        caller.db,
        identity.partition,
        record,
        response,
        declaration.responseHasSecret ?? false,
      );
      return response;
    });
    if (response) return response;
  } catch (error) {
    if (
      !(error instanceof AppError) ||
      error.kind === "validation" ||
      error.kind === "idempotency-in-progress"
    )
      throw error;
    return storeRefusal(change, record, error);
  }
  // The record may have expired, or been deleted by an erasure, in the meantime.
  return (await replay(identity, record)) ?? make(change, file);
}

/** Another transaction came first, so the statement had no effect. `make` then tries again. */
function nullIfOvertaken(error: unknown): null {
  if (!isOvertaken(error)) throw error;
  return null;
}

/**
 * Stores the service's refusal, so that it is replayed like a success. Validation errors and
 * failures of the service itself are not stored. The transaction of the change was rolled back, so
 * the record is written separately. If another request with the key was quicker, its response is
 * returned.
 * @throws AppError the refusal, once it is stored
 */
async function storeRefusal(
  { identity, path }: Change,
  record: IdempotencyRecord,
  error: AppError,
): Promise<JsonResponse> {
  const { status, body } = toProblem(error, path, identity.request?.id ?? "");
  const isStored = await insertRecord(
    reader(identity),
    identity.partition,
    { ...record, status },
    body,
    new Date(),
  );
  const earlier = isStored ? null : await replay(identity, record);
  if (!earlier) throw error;
  return earlier;
}

async function replay(identity: Identity, record: IdempotencyRecord): Promise<JsonResponse | null> {
  const stored = await findStoredResponse(identity.partition, record);
  return stored && { ...stored, isReplay: true };
}

const serializers = new WeakMap<Declaration["response"], Serialize<unknown>>();

/** Drops fields that the contract does not name, and fails if one is missing. */
export function serializerOf({ response }: Pick<Declaration, "response">): Serialize<unknown> {
  const known = serializers.get(response);
  if (known) return known;
  const serialize = compileSerializer(response);
  serializers.set(response, serialize);
  return serialize;
}
