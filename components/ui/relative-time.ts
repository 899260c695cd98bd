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
  if (seconds > 0) return timeUntil(seconds);
  for (const [unit, length] of steps) {
    if (-seconds >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}

/** Rounded, because what was just set to expire in 7 days must not say that 6 are left. */
function timeUntil(seconds: number): string {
  let larger: (typeof steps)[number] | undefined;
  for (const step of steps) {
    const [unit, length] = step;
    if (seconds >= length) {
      const count = Math.round(seconds / length);
      return larger && count * length >= larger[1]
        ? relative.format(1, larger[0])
        : relative.format(count, unit);
    }
    larger = step;
  }
  return "in less than a minute";
}
