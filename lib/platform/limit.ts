import { atDeadline } from "./deadlines";

/** How long work waits for its turn at most, and the error that it ends with then. */
type Patience = { ms: number; error: () => Error };

/**
 * Limits how many pieces of work run at a time. The others wait, in the order in which they arrived.
 * @param most the limit, read whenever work arrives
 */
export function createLimit(most: () => number) {
  const waiting = new Set<() => void>();
  let running = 0;

  const hasRoom = (): boolean => running < most();

  const nextTurn = (patience: Patience | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel =
        patience &&
        atDeadline(patience.ms, () => {
          waiting.delete(start);
          reject(patience.error());
        });
      const start = () => {
        cancel?.();
        resolve();
      };
      waiting.add(start);
    });

  async function run<Result>(work: () => Promise<Result>, patience?: Patience): Promise<Result> {
    if (hasRoom()) running++;
    else await nextTurn(patience);
    try {
      return await work();
    } finally {
      // The next one takes its place.
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else running--;
    }
  }

  return { run, hasRoom };
}

/**
 * Limits how many pieces of work with the same key run at a time, in this process.
 * @param most the limit, read whenever work arrives
 */
export function createLimitPerKey(most: () => number) {
  const limits = new Map<string, ReturnType<typeof createLimit> & { users: number }>();

  async function run<Result>(
    key: string,
    work: () => Promise<Result>,
    patience?: Patience,
  ): Promise<Result> {
    const limit = limits.get(key) ?? { ...createLimit(most), users: 0 };
    limits.set(key, limit);
    limit.users++;
    try {
      return await limit.run(work, patience);
    } finally {
      if (--limit.users === 0) limits.delete(key);
    }
  }

  return { run };
}
