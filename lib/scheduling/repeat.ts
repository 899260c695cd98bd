import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import { warnOfFailure } from "@/lib/platform/warn-of-failure";

const log = logOf("jobs");

/**
 * Runs `work` repeatedly with a pause in between, or immediately again after a full batch. A
 * failure is logged, and `work` runs again after the pause.
 * @param work returns how much it did
 * @param options.delayMs how long the first run waits
 */
export function repeat(
  name: string,
  work: (limit: number) => Promise<number>,
  { pauseMs, limit, delayMs = 0 }: { pauseMs: number; limit: number; delayMs?: number },
) {
  let isStopped = false;
  let isWoken = false;
  let endPause = () => {};

  async function runOnce(): Promise<number> {
    const startedMs = performance.now();
    const measure = (result: "ok" | "error") =>
      meter()?.observe("jobDuration", performance.now() - startedMs, { job: name, result });
    try {
      const done = await work(limit);
      measure("ok");
      if (done > 0) log.debug({ job: name, done }, "a job completed a batch");
      meter()?.count("jobItems", { job: name }, done);
      return done;
    } catch (error) {
      measure("error");
      warnOfFailure(log, error, { job: name }, "a job failed and will be tried again");
      return 0;
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    if (delayMs > 0) await pause(delayMs);
    while (!isStopped) {
      isWoken = false;
      const done = await runOnce();
      if (done >= limit || isStopped || isWoken) continue;
      await pause(pauseMs);
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
