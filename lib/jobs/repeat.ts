import { log } from "@/lib/log";

/**
 * Runs `work` again and again, with a pause between; at once again where it did a whole batch. One that fails is
 * logged, and tried again after the pause.
 * @param work returns how much it did
 */
export function repeat(name: string, work: (limit: number) => Promise<number>, { pauseMs, limit }: { pauseMs: number; limit: number }) {
  let isStopped = false;
  let endPause = () => {};

  async function run(): Promise<void> {
    while (!isStopped) {
      const done = await work(limit).catch((error: Error) => {
        log.warn({ job: name, error: error.message }, "a job failed and will be tried again");
        return 0;
      });
      if (done >= limit || isStopped) continue;
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

  /** Waits for what is running. */
  async function stop(): Promise<void> {
    isStopped = true;
    endPause();
    await running;
  }

  return { stop };
}
