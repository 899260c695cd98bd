/** Linear is eight times the cost for eight times the input, quadratic 64 times. */
const linearAtMost = 24;
const rounds = { least: 3, most: 50 };

/**
 * How much longer `work` takes when its input is eight times as large. Both sizes are measured in
 * turns, by the processor time of this process. Each keeps its best round, and what disturbs a
 * round only adds to it, so rounds are repeated until the growth is linear.
 * @returns at most 24 for a linear cost, and about 64 for a quadratic one
 */
export function growth(work: (size: number) => unknown, size: number): number {
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  const ratio = () => best.large / Math.max(best.small, 0.01);
  work(size);
  for (let round = 0; round < rounds.most; round++) {
    if (round >= rounds.least && ratio() < linearAtMost) break;
    // Eight small ones together, so that both are long enough to be measured.
    best.small = Math.min(
      best.small,
      processorMs(() => Array.from({ length: 8 }, () => work(size))) / 8,
    );
    best.large = Math.min(
      best.large,
      processorMs(() => work(8 * size)),
    );
  }
  return ratio();
}

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
