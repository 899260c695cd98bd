import { cron } from "inngest";
import type { RecurringJob } from "@/lib/scheduling/recurring-jobs";
import { inngest } from "../client";

/** So that a run stays far below the thousand steps that Inngest allows; the next one goes on. */
const maximumBatches = 100;

/** Batch after batch, each a step, until one is not full. */
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
