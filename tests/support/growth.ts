/**
 * How much longer `work` takes when its input is eight times as large: about 8 where the cost is
 * linear, about 64 where it is quadratic. Both sizes are measured in turns and by the processor
 * time of this process, so a busy machine changes little.
 */
export function growth(work: (size: number) => unknown, size: number): number {
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  work(size);
  for (let round = 0; round < 3; round++) {
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
  return best.large / Math.max(best.small, 0.01);
}

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
