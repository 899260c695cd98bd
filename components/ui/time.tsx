const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function relativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
}

/**
 * A relative time, with the exact time in UTC as its title. Rendered on the server, so both agree.
 */
export function Time({ at, now }: { at: Date; now: Date }) {
  const exact = `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return (
    <time dateTime={at.toISOString()} title={exact}>
      {relativeTime(at, now)}
    </time>
  );
}

const clock = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** The time itself, in UTC, to the second: for comparing with your own logs. */
export function ExactTime({ at }: { at: Date }) {
  return (
    <time
      dateTime={at.toISOString()}
      title={`${at.toISOString().replace("T", " ").replace("Z", "")} UTC`}
      className="tabular-nums"
    >
      {clock.format(at)}
    </time>
  );
}
