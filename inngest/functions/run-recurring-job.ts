import { cron } from "inngest";
import type { RecurringJob } from "@/lib/scheduling/recurring-jobs";
import { inngest } from "../client";

/** Keeps a run far below the thousand steps that Inngest allows. The next run continues. */
const maximumBatches = 100;

/** Runs batch after batch, each as a step, until one is not full. */
export function runRecurringJob(name: string, { work, limit }: RecurringJob) {
  return inngest().createFunction(
    { id: name, triggers: [cron("* * * * *")], retries: 1, concurrency: 1 },
    async ({ step }) => {
      let total = 0;
      for (let batch = 1; batch <= maximumBatches; batch++) {
        const done = await step.run(`batch-${batch}`, () => work(limit));
        total += done;
        if (done < limit) break;
      }
      return total;
    },
  );
}
