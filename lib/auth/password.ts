import { hash, verify } from "@node-rs/argon2";
import { AppError } from "@/lib/platform/errors";

/** argon2id (the library's default algorithm) with 19 MiB, two passes and one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * How many hashes run at a time. Each takes one of libuv's four threads for tens of milliseconds;
 * the fourth one stays free for look-ups of names and files, so that a storm of sign-ins slows down
 * sign-ins and nothing else.
 */
const maximumRunning = 3;
/** Past this many in the queue, the last one would wait for about ten seconds. */
const maximumWaiting = 400;

/**
 * Of a password that nobody knows. It stands in for the hash of an address that nobody has, so that
 * both cost the same work.
 */
const hashOfNobody =
  "$argon2id$v=19$m=19456,t=2,p=1$GqePVBrv9fijGalEI3fwTg$4D9BiMRAfCTkRkMGhiNuQ7KKFiGDtsIgV3q7mh3BfEo";

type Queue = { running: number; waiting: (() => void)[] };
// Shared between Next's bundles of this module: pages and route handlers may each have one, the
// threads are the same.
const shared = globalThis as { parlanceHashQueue?: Queue };

/** @param password normalized, as lib/users/schema.ts leaves it. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost));
}

/** Does the same work whether there is a hash or not; without one the answer is always false. */
export async function verifyPassword(
  storedHash: string | null,
  password: string,
): Promise<boolean> {
  const matches = await inTurn(() => verify(storedHash ?? hashOfNobody, password));
  return storedHash !== null && matches;
}

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  shared.parlanceHashQueue ??= { running: 0, waiting: [] };
  const queue = shared.parlanceHashQueue;
  if (queue.running >= maximumRunning) {
    if (queue.waiting.length >= maximumWaiting)
      throw new AppError("unavailable", "Too many people are signing in at once. Try again soon.");
    // Whoever finishes hands its place over, so `running` stays as it is.
    await new Promise<void>((resolve) => queue.waiting.push(resolve));
  } else {
    queue.running++;
  }
  try {
    return await work();
  } finally {
    const next = queue.waiting.shift();
    if (next) next();
    else queue.running--;
  }
}
