import { processDocument as process } from "@/lib/documents/process";
import { documentDue, inngest } from "../client";

const documentsUnderWayPerTenant = 2;

/** Reads one document. A step that runs twice finds it done; what a crash leaves half done, the worker takes over. */
export function processDocument() {
  return inngest().createFunction(
    {
      id: "process-document",
      triggers: [documentDue],
      retries: 4,
      concurrency: { key: "event.data.tenantId", limit: documentsUnderWayPerTenant },
    },
    ({ event, step }) => {
      const { tenantId, environment, documentId } = event.data;
      return step.run("process", () => process({ tenantId, environment, id: documentId }));
    },
  );
}
