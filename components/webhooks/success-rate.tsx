import { Sparkline } from "@/components/ui/chart";
import type { AttemptHour } from "@/lib/deliveries/attempts-by-hour";

/** 100% only if nothing failed. */
function percentOf(attempts: number, failures: number): string {
  const percent = Math.round(((attempts - failures) / attempts) * 1_000) / 10;
  return `${failures > 0 ? Math.min(percent, 99.9) : percent}%`;
}

/** Only the percentage. */
export function SuccessPercent({ hours }: { hours: AttemptHour[] }) {
  const { attempts, failures } = sum(hours);
  return attempts === 0 ? null : (
    <span className="font-semibold text-base tabular-nums">{percentOf(attempts, failures)}</span>
  );
}

/** How many of a webhook's attempts succeeded, with a chart by hour. */
export function SuccessRate({ hours }: { hours: AttemptHour[] }) {
  const { attempts, failures } = sum(hours);
  if (attempts === 0) return <span className="text-muted">No attempts</span>;

  const percent = percentOf(attempts, failures);
  return (
    <span className="inline-flex items-center gap-2.5">
      <Sparkline
        values={hours.map((hour) => hour.attempts)}
        variant="good"
        part={{ values: hours.map((hour) => hour.failures), variant: "danger" }}
        label={`${attempts.toLocaleString("en")} attempts in the last ${hours.length} hours, of which ${failures.toLocaleString("en")} failed`}
      />
      <span className="tabular-nums">{percent}</span>
    </span>
  );
}

function sum(hours: AttemptHour[]) {
  return hours.reduce(
    (total, hour) => ({
      attempts: total.attempts + hour.attempts,
      failures: total.failures + hour.failures,
    }),
    {
      attempts: 0,
      failures: 0,
    },
  );
}
