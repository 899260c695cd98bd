import { hash, verify } from "@node-rs/argon2";
import { AppError } from "@/lib/platform/errors";

/** argon2id (the library's default algorithm) with 19 MiB, two passes and one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * How many hashes run concurrently. Each occupies one of libuv's four threads for tens of
 * milliseconds. The fourth stays free for DNS lookups and files, so a burst of sign-ins slows down
 * only sign-ins.
 */
const maximumRunning = 3;
/** With more than this in the queue, the last one would wait about ten seconds. */
const maximumWaiting = 400;

/**
 * The hash of a password that no one knows. It is checked for unknown addresses, so that they cost
 * the same work.
 */
const hashOfNobody =
  "$argon2id$v=19$m=19456,t=2,p=1$GqePVBrv9fijGalEI3fwTg$4D9BiMRAfCTkRkMGhiNuQ7KKFiGDtsIgV3q7mh3BfEo";

type Queue = { running: number; waiting: (() => void)[] };
// Shared between Next's bundles of this module: pages and route handlers may each have one, but
// they share the threads.
const shared = globalThis as { parlanceHashQueue?: Queue };

/** @param password normalized by lib/users/schema.ts */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost));
}

/** Does the same work with or without a hash. Without one, the result is always false. */
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
      throw new AppError(
        "unavailable",
        "Too many users are signing in right now. Try again in a moment.",
      );
    // A finished hash passes on its slot, so `running` does not change.
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
