import { setTimeout as sleep } from "node:timers/promises";
import type { Claim, Serialize } from "@/lib/events/idempotency-record";
import { type StoredFile, withStoredFile } from "@/lib/platform/blobs/service";
import { type Identity, mutate, reader } from "@/lib/platform/caller";
import { isDeadlock, lockTimeoutMs } from "@/lib/platform/db";
import { AppError, idempotencyInProgress } from "@/lib/platform/errors";
import {
  claimKey,
  findStoredAnswer,
  isStillClaimed,
  type StoredAnswer,
  storeAnswer,
} from "./idempotency";
import type { Declaration } from "./operation";
import { toProblem } from "./problem";
import type { ReceivedUpload } from "./read-upload";

export type Answer = StoredAnswer & { isReplay?: boolean };

/** A request that was read and found valid, and is now to have its effect. */
export type Change = {
  declaration: Declaration;
  identity: Identity;
  claim: Claim | null;
  input: { params: unknown; query: unknown; body: unknown };
  file: ReceivedUpload["file"];
  /** Of the request, for what a refusal says. */
  path: string;
};

/** Changes of this process that are being made under an idempotency key. */
const running = new Map<string, Promise<unknown>>();

/**
 * Makes a change once for its idempotency key, whatever else is sent with it at the same time.
 * Within one process the others wait here, where they hold no connection; between processes they
 * wait in the database.
 */
export async function perform(change: Change): Promise<Answer> {
  const { claim, identity } = change;
  if (!claim) return makeWithFile(change);

  const name = `${identity.partition.tenantId} ${identity.partition.environment} ${claim.key}`;
  const deadlineMs = Date.now() + lockTimeoutMs;
  for (let earlier = running.get(name); earlier; earlier = running.get(name)) {
    if (!(await hasEnded(earlier, deadlineMs - Date.now()))) throw idempotencyInProgress();
    const stored = await findStoredAnswer(identity.partition, claim);
    if (stored) return { ...stored, isReplay: true };
  }
  const making = makeWithFile(change);
  running.set(name, making);
  try {
    return await making;
  } catch (error) {
    throw isStillClaimed(error) ? idempotencyInProgress() : error;
  } finally {
    running.delete(name);
  }
}

async function hasEnded(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  const timeout = new AbortController();
  const late = sleep(Math.max(0, withinMs), false, { signal: timeout.signal, ref: false }).catch(
    () => false,
  );
  const ended = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([ended, late]).finally(() => timeout.abort());
}

/**
 * A file is stored first, unless the request was answered already. A replay or a refusal does not
 * adopt it.
 */
async function makeWithFile(change: Change): Promise<Answer> {
  const { file, identity, claim } = change;
  if (!file) return make(change, undefined);
  const earlier = claim && (await findStoredAnswer(identity.partition, claim));
  if (earlier) return { ...earlier, isReplay: true };
  return withStoredFile(identity.partition, file, (stored) => make(change, stored));
}

async function make(change: Change, file: StoredFile | undefined): Promise<Answer> {
  const { declaration, identity, claim, input } = change;
  const status = declaration.status ?? 200;
  const serialize = serializerOf(declaration);
  if (declaration.runAtOnce) {
    const body = await declaration
      .runAtOnce({ ...input, identity, claim, serialize })
      .catch(nullOnDeadlock);
    if (body !== null) return { status, body };
  }
  if (!claim)
    return {
      status,
      body: await mutate(identity, async (caller) =>
        serialize(await declaration.run({ ...input, caller, file })),
      ),
    };

  const earlier = await findStoredAnswer(identity.partition, claim);
  if (earlier) return { ...earlier, isReplay: true };
  try {
    const body = await mutate(identity, async (caller) => {
      if (!(await claimKey(caller.db, identity.partition, claim, "", new Date()))) return null;
      const body = serialize(await declaration.run({ ...input, caller, file }));
      await storeAnswer(
        caller.db,
        identity.partition,
        claim,
        body,
        declaration.answerHoldsSecret ?? false,
      );
      return body;
    });
    if (body !== null) return { status, body };
  } catch (error) {
    if (
      !(error instanceof AppError) ||
      error.kind === "validation" ||
      error.kind === "idempotency-in-progress"
    )
      throw error;
    return storeRefusal(change, claim, error);
  }
  return replay(identity, claim);
}

/**
 * PostgreSQL ended the statement to break a deadlock, so it did nothing, and the longer way
 * remains.
 */
function nullOnDeadlock(error: unknown): null {
  if (!isDeadlock(error)) throw error;
  return null;
}

/**
 * A refusal by the service is an answer like any other: it is stored and replayed. Its transaction
 * is gone, so the record is written by itself; should another request have been quicker, that one's
 * answer counts.
 */
async function storeRefusal(
  { identity, path }: Change,
  claim: Claim,
  error: AppError,
): Promise<Answer> {
  const { status, body } = toProblem(error, path, identity.request?.id ?? "");
  const isStored = await claimKey(
    reader(identity).db,
    identity.partition,
    { ...claim, status },
    body,
    new Date(),
  );
  if (isStored) throw error;
  return replay(identity, claim);
}

async function replay(identity: Identity, claim: Claim): Promise<Answer> {
  const stored = await findStoredAnswer(identity.partition, claim);
  if (!stored) throw new Error("an idempotency record was there to be found and is not");
  return { ...stored, isReplay: true };
}

/**
 * Parsing on the way out drops what the contract does not name, and fails where something is
 * lacking.
 */
export const serializerOf =
  ({ response }: Declaration): Serialize<unknown> =>
  (result) =>
    JSON.stringify(response.parse(result));
