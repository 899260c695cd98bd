import { env } from "@/lib/platform/env";

/** The first attempt and seven retries. */
export const maximumAutomaticAttempts = 8;

const jitterShare = 0.1;
const maximumRetryAfterSeconds = 86_400;

/**
 * Seconds from a failed attempt to the next one, or null after the eighth. The default delays are
 * `defaultRetrySchedule` in lib/platform/env.ts, which cannot import this module. Jitter keeps
 * deliveries that failed together from being retried together: each delay is up to a tenth longer,
 * and the last one, a whole day, is up to a tenth shorter instead.
 * @param failedAttempts automatic attempts so far, including the one that just failed
 * @param retryAfterSeconds from the receiver; it can lengthen a delay, up to one day
 */
export function retryDelaySeconds(
  failedAttempts: number,
  retryAfterSeconds = 0,
  random: () => number = Math.random,
): number | null {
  const schedule = env().WEBHOOK_RETRY_SCHEDULE;
  const delay = schedule[failedAttempts - 1];
  if (failedAttempts >= maximumAutomaticAttempts || delay === undefined) return null;

  const isLast = failedAttempts === schedule.length;
  const jittered = delay * (1 + (isLast ? -jitterShare : jitterShare) * random());
  return Math.max(jittered, Math.min(retryAfterSeconds, maximumRetryAfterSeconds));
}

/** The pause between two probes: a quarter of the first delay. */
export function probeIntervalSeconds(): number {
  return (env().WEBHOOK_RETRY_SCHEDULE[0] ?? 0) / 4;
}
