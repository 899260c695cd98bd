import { cron } from "inngest";
import { purgeExpired } from "@/lib/jobs/purge-expired";
import { inngest } from "../client";

const batchSize = 1_000;

/** Deletes what has expired. */
export function cleanUp() {
  return inngest().createFunction({ id: "clean-up", triggers: [cron("*/5 * * * *")], retries: 1, concurrency: 1 }, ({ step }) =>
    step.run("purge", () => purgeExpired(batchSize)),
  );
}
