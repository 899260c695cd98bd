import { relativeTime } from "./relative-time";
import { exactTime, formatTime, viewerTime } from "./viewer-time";

/**
 * A relative time, with the exact time as its title. Viewers who need exact times without a pointer
 * choose them in the account menu. Rendered on the server, so both agree.
 */
export function Time({ at, now }: { at: Date; now: Date }) {
  const exact = exactTime(at);
  return (
    <time dateTime={at.toISOString()} title={exact}>
      {viewerTime().isExact ? exact : relativeTime(at, now)}
    </time>
  );
}

/**
 * The time itself, to the second: for comparing with your own logs. What is around it names the
 * zone.
 */
export function ExactTime({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} className="tabular-nums">
      {formatTime(at, {
        day: "numeric",
        month: "short",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      })}
    </time>
  );
}
