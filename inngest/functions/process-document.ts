import { attemptDocument } from "@/lib/knowledge/documents/process-document";
import { documentDue, inngest } from "../client";

const concurrentDocumentsPerTenant = 2;

/** Enough for the quarter of an hour after which a document is given up. */
const wakeUpsPerRun = 50;

/**
 * Reads one document. A step that runs twice finds it done; what a crash leaves half done is taken
 * up when its lease ends.
 */
export function processDocument() {
  return inngest().createFunction(
    {
      id: "process-document",
      triggers: [documentDue],
      retries: 4,
      concurrency: { key: "event.data.tenantId", limit: concurrentDocumentsPerTenant },
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
