import { cron } from "inngest";
import { removeStrayBlobs } from "@/lib/blobs/service";
import { failStuckDocuments } from "@/lib/documents/process";
import { inngest } from "../client";

const batchSize = 100;

/** Gives up documents that are stuck, and removes files that are nobody's. */
export function tendDocuments() {
  return inngest().createFunction(
    { id: "tend-documents", triggers: [cron("* * * * *")], retries: 1, concurrency: 1 },
    async ({ step }) => ({
      failed: await step.run("fail-stuck", () => failStuckDocuments(batchSize)),
      removed: await step.run("remove-files", () => removeStrayBlobs(batchSize)),
    }),
  );
}
