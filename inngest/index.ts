import { processDocument } from "./functions/process-document";
import { runRecurringJobs } from "./functions/run-recurring-jobs";
import { sendDeliveries } from "./functions/send-deliveries";
import { waitForNextAttempt } from "./functions/wait-for-next-attempt";

/** The functions that Inngest runs in the worker, which has the recurring jobs already. */
export const workerFunctions = () => [sendDeliveries(), waitForNextAttempt(), processDocument()];

/** The functions that Inngest runs in the web processes. There may be no worker next to them. */
export const webFunctions = () => [...workerFunctions(), runRecurringJobs()];
