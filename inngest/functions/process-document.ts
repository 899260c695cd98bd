import { attemptDocument } from "@/lib/knowledge/documents/process-document";
import { documentDue, inngest } from "../client";
import { logFailure } from "../log-failure";

const concurrentDocumentsPerTenant = 2;

/** Enough for the 15 minutes after which a document fails. */
const wakeUpsPerRun = 50;

/**
 * Processes one document. A step that runs twice finds it done. A document that a crash left
 * unfinished is retried when its lease ends.
 */
export function processDocument() {
  return inngest().createFunction(
    {
      id: "process-document",
      name: "Knowledge: process a document",
      triggers: [documentDue],
      retries: 4,
      concurrency: { key: "event.data.tenantId", limit: concurrentDocumentsPerTenant },
      priority: { run: "event.data.environment == 'live' ? 60 : 0" },
      onFailure: logFailure,
    },
    async ({ event, step }) => {
      const { tenantId, environment, documentId } = event.data;
      for (let number = 1; ; number++) {
        const outcome = await step.run(`attempt-${number}`, () =>
          attemptDocument({ tenantId, environment, id: documentId }),
        );
        if (outcome.retryAt === null || number === wakeUpsPerRun) return outcome;
        await step.sleepUntil(`retry-${number}`, outcome.retryAt);
      }
    },
  );
}
