import { cron } from "inngest";
import { workOffBacklog as workOff } from "@/lib/jobs/work-off-backlog";
import { inngest } from "../client";

const batchSize = 500;

/** Sends again, or gives up, what was asked for of webhooks' unsent deliveries. */
export function workOffBacklog() {
  return inngest().createFunction({ id: "work-off-backlog", triggers: [cron("* * * * *")], retries: 1, concurrency: 1 }, ({ step }) =>
    step.run("work-off", () => workOff(batchSize)),
  );
}
