import { cron } from "inngest";
import { wakeSnoozedConversations as wake } from "@/lib/conversations/service";
import { currentTime } from "@/lib/jobs/time";
import { inngest } from "../client";

const batchSize = 100;

/** Opens conversations whose `snoozedUntil` has come. */
export function wakeSnoozedConversations() {
  return inngest().createFunction(
    { id: "wake-snoozed-conversations", triggers: [cron("* * * * *")], retries: 1, concurrency: 1 },
    ({ step }) => step.run("wake", () => wake(currentTime(), batchSize)),
  );
}
