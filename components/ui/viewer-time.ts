import { cache } from "react";
import { formatterOf } from "@/lib/platform/zoned-time";

/** How the viewer reads times: in which zone, and whether exactly or relative to now. */
export type ViewerTime = { zone: string; isExact: boolean };

// Per request, and for server components only. Each page of the dashboard sets it before it renders.
const current = cache((): ViewerTime => ({ zone: "UTC", isExact: false }));

export const viewerTime = (): Readonly<ViewerTime> => current();

export function setViewerTime(time: ViewerTime): void {
  Object.assign(current(), time);
}

/** For example `GMT+1`. A zone has two names a year where clocks change. */
export function zoneName(at: Date, zone = viewerTime().zone): string {
  const parts = formatterOf(zone, { timeZoneName: "short" }).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

const toTheSecond = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
} as const;

/** For example `Nov 22, 2026, 14:03:21 GMT+1`. */
export const exactTime = (at: Date): string =>
  formatterOf(viewerTime().zone, toTheSecond).format(at);

export const formatTime = (at: Date, options: Intl.DateTimeFormatOptions): string =>
  formatterOf(viewerTime().zone, options).format(at);

/** Identifies the day of a time, to tell days apart. */
export const dayOf = (at: Date): string =>
  formatTime(at, { weekday: "long", month: "long", day: "numeric", year: "numeric" });
