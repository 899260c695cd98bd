/**
 * Limits how many pieces of work run at a time. The others wait, in the order in which they arrived.
 * @param most the limit, read whenever work arrives
 */
export function createLimit(most: () => number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  const hasRoom = (): boolean => running < most();

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (hasRoom()) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes its place.
      const next = waiting.shift();
      if (next) next();
      else running--;
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

  async function run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const limit = limits.get(key) ?? { ...createLimit(most), users: 0 };
    limits.set(key, limit);
    limit.users++;
    try {
      return await limit.run(work);
    } finally {
      if (--limit.users === 0) limits.delete(key);
    }
  }

  return { run };
}
