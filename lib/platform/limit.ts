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
