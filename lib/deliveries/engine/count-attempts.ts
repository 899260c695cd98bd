import { type Meter, statusClass } from "@/lib/platform/meter";
import type { EndedAttempt, RecordedAttempt } from "./record";
import { maximumAutomaticAttempts } from "./retry-schedule";

/** @param recorded null for an attempt whose lease another worker had taken over */
export function countAttempts(
  counting: Meter,
  attempts: EndedAttempt[],
  recorded: (RecordedAttempt | null)[],
): void {
  for (const [index, attempt] of attempts.entries()) {
    const { result } = attempt;
    const reason = "statusCode" in result ? statusClass(result.statusCode) : result.errorCode;
    const outcome = outcomeOf(reason, recorded[index] ?? null);
    counting.count("deliveryAttempts", { outcome, attempt: numberOf(attempt), reason });
    counting.observe("deliveryDuration", result.durationMs, {});
  }
}

function outcomeOf(reason: string, recorded: RecordedAttempt | null): string {
  if (!recorded) return "superseded";
  if (reason === "2xx") return "delivered";
  return recorded.status === "FAILED" ? "failed" : "will_retry";
}

/** Requested attempts can be any number, so they have a name instead. */
function numberOf({ trigger, delivery }: EndedAttempt): string {
  if (trigger !== "AUTOMATIC") return trigger.toLowerCase();
  return String(Math.min(delivery.automaticCount + 1, maximumAutomaticAttempts));
}
