import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { deliverWebhook } from "./functions/deliver-webhook";
import { processDocument } from "./functions/process-document";
import { runRecurringJob } from "./functions/run-recurring-job";

/** All functions that Inngest runs. */
export function inngestFunctions() {
  return [
    deliverWebhook(),
    processDocument(),
    ...Object.entries(recurringJobs).map(([name, job]) => runRecurringJob(name, job)),
  ];
}
