import { log } from "@/lib/platform/log";

/**
 * Runs `work` repeatedly with a pause in between, or immediately again after a full batch. A
 * failure is logged, and `work` runs again after the pause.
 * @param work returns how much it did
 */
export function repeat(
  name: string,
  work: (limit: number) => Promise<number>,
  { pauseMs, limit }: { pauseMs: number; limit: number },
) {
  let isStopped = false;
  let isWoken = false;
  let endPause = () => {};

  async function run(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      const done = await runOnce();
      if (done >= limit || isStopped || isWoken) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
  const running = run();

  /** Ends the pause because there is work. */
  function wake(): void {
    isWoken = true;
    endPause();
  }

  /** Waits for the current run to end. */
  async function stop(): Promise<void> {
    isStopped = true;
    endPause();
    await running;
  }

  return { wake, stop };
}
