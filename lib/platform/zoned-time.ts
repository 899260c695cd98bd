/** Formatters are expensive to make, and there are few combinations of zones and options. */
const formatters = new Map<string, Intl.DateTimeFormat>();
/** Zones come from cookies, and each has many spellings: `utc`, `Utc`. */
const mostFormatters = 1_000;

export function formatterOf(
  zone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", { hourCycle: "h23", ...options, timeZone: zone });
  if (formatters.size >= mostFormatters) formatters.clear();
  formatters.set(key, made);
  return made;
}

/** The start of a day such as `2026-11-22`, or of one after it. */
export function startOfDay(day: string, zone: string, daysLater = 0): Date | null {
  const wanted = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(wanted.getTime())) return null;
  wanted.setUTCDate(wanted.getUTCDate() + daysLater);
  return fromLocalMinute(wanted.toISOString().slice(0, "2026-11-22T14:03".length), zone);
}

const longestZone = 64;

/** Whether a name from a cookie is a time zone. */
export function isTimeZone(name: string): boolean {
  if (name.length > longestZone) return false;
  try {
    formatterOf(name, {});
    return true;
  } catch {
    return false;
  }
}

const toTheMinute = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
} as const;

/** `2026-11-22T14:03`: the value of a browser's date and time field, in a zone. */
export function toLocalMinute(at: Date, zone: string): string {
  const parts = new Map(
    formatterOf(zone, toTheMinute)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const [year, month, day, hour, minute] = ["year", "month", "day", "hour", "minute"].map((name) =>
    parts.get(name as Intl.DateTimeFormatPartTypes),
  );
  return `${year?.padStart(4, "0")}-${month}-${day}T${hour}:${minute}`;
}

const dayMs = 86_400_000;

/**
 * The reverse, or null if the text is not a time. A time that the clocks skip moves ahead by as much
 * as they skip: where they skip midnight, a day starts after that. For a time that they repeat, the
 * result is the first of the two.
 */
export function fromLocalMinute(local: string, zone: string): Date | null {
  const wanted = Date.parse(`${local}:00Z`);
  // A field for dates takes years of six digits, for which a time has another form.
  if (Number.isNaN(wanted) || local.length !== "2026-11-22T14:03".length) return null;
  const offsetAt = (ms: number) => Date.parse(`${toLocalMinute(new Date(ms), zone)}:00Z`) - ms;
  // Between these two, the clocks change once at most.
  const before = wanted - offsetAt(wanted - dayMs);
  const after = wanted - offsetAt(wanted + dayMs);
  if (Number.isNaN(before) || Number.isNaN(after)) return null;
  const found = [before, after].find((ms) => ms + offsetAt(ms) === wanted);
  return new Date(found ?? before);
}
