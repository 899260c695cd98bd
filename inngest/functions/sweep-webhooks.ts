import { cron } from "inngest";
import { sweepWebhooks as sweep } from "@/lib/jobs/sweep-webhooks";
import { inngest } from "../client";

const batchSize = 100;

/** Finishes the disabling of webhooks that was interrupted. */
export function sweepWebhooks() {
  return inngest().createFunction({ id: "sweep-webhooks", triggers: [cron("* * * * *")], retries: 1, concurrency: 1 }, ({ step }) =>
    step.run("sweep", () => sweep(batchSize)),
  );
}
