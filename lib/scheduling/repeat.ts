import { log } from "@/lib/platform/log";

/**
 * Runs `work` again and again, with a pause between; at once again where it did a whole batch. One
 * that fails is logged, and tried again after the pause.
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
      const done = await work(limit).catch((error: Error) => {
        log.warn({ job: name, error: error.message }, "a job failed and will be tried again");
        return 0;
      });
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

  /** Ends the pause: there is work. */
  function wake(): void {
    isWoken = true;
    endPause();
  }

  /** Waits for what is running. */
  async function stop(): Promise<void> {
    isStopped = true;
    endPause();
    await running;
  }

  return { wake, stop };
}
