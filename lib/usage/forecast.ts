import type { UsageFigures } from "./schema";

const dayMs = 86_400_000;

/**
 * The expected total at the end of a month: the total so far, divided by the part of the month that
 * has passed. Null on the first day, which says too little, and if the month is not the current
 * one.
 * @param month `2026-01`, in UTC
 */
export function forecastOf(total: number, month: string, now: Date): number | null {
  const start = Date.parse(`${month}-01T00:00:00Z`);
  const [year = 0, number = 1] = month.split("-").map(Number);
  const end = Date.UTC(year, number, 1);
  const passed = now.getTime() - start;
  if (passed < dayMs || now.getTime() >= end) return null;
  return Math.round((total * (end - start)) / passed);
}

/** The figures that grow over a month from zero. */
export const forecastFigures = [
  "apiRequests",
  "conversationsCreated",
  "messagesReceived",
  "messagesSent",
  "webhookDeliveries",
] as const satisfies (keyof UsageFigures)[];
