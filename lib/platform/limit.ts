/**
 * Runs at most some pieces of work at a time. The others wait for their turn, in order.
 * @param most asked for each piece of work
 */
export function createLimit(most: () => number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < most()) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes its place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
