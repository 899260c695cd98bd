import { cron } from "inngest";
import { type RecurringJob, recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { inngest } from "../client";
import { logFailure } from "../log-failure";
import { wakeOverdueDeliveries } from "../wake-overdue-deliveries";

/** Far less than the time that a host allows for a request. The next run continues. */
const maximumMs = 20_000;

/**
 * Runs every recurring job once a minute, each as a step of the same run. While a run is in
 * progress, no other starts.
 */
export function runRecurringJobs() {
  const jobs: Record<string, Pick<RecurringJob, "work" | "limit">> = {
    ...recurringJobs,
    "wake-overdue-deliveries": wakeOverdueDeliveries,
  };
  return inngest().createFunction(
    {
      id: "run-recurring-jobs",
      name: "Recurring jobs",
      triggers: [cron("* * * * *")],
      retries: 1,
      singleton: { mode: "skip" },
      onFailure: logFailure,
    },
    async ({ step }) => {
      const results = await Promise.allSettled(
        Object.entries(jobs).map(([name, job]) => step.run(name, () => workOff(job))),
      );
      const failed = Object.keys(jobs).filter((_, index) => results[index]?.status === "rejected");
      if (failed.length > 0) throw new Error(`these jobs failed: ${failed.join(", ")}`);
    },
  );
}

/** Runs batch after batch until one is not full. @returns how much was done */
async function workOff({ work, limit }: Pick<RecurringJob, "work" | "limit">): Promise<number> {
  const endsAtMs = performance.now() + maximumMs;
  for (let total = 0; ; ) {
    const done = await work(limit);
    total += done;
    if (done < limit || performance.now() > endsAtMs) return total;
  }
}
