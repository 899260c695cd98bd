import { z } from "zod";
import { environment, integer } from "@/lib/platform/schema";

const dayMs = 24 * 3_600_000;
export const maximumDays = 366;

// `abort`, because the period of an invalid date cannot be checked.
const date = z.iso
  .date({ error: "must be a date, for example 2026-01-31", abort: true })
  // PostgreSQL has no year 0000.
  .refine((text) => text >= "0001", { error: "must be in the year 0001 or later", abort: true });

const figures = {
  apiRequests: integer(
    "Requests with a valid key, except those beyond its rate limit. Counted within a second or two.",
  ),
  conversationsCreated: integer("Conversations that were created."),
  messagesReceived: integer("Messages whose direction is `INBOUND`."),
  messagesSent: integer("Messages whose direction is `OUTBOUND`."),
  documentsStored: integer("Documents that existed at the end and have not been deleted since."),
  filesStored: integer("Files that existed at the end and have not been deleted since."),
  storageBytes: integer("The size of those documents and files together, in bytes."),
  webhookDeliveries: integer("Attempts to call a webhook, including retries."),
  webhookFailures: integer("Attempts to call a webhook that failed."),
};

export const usageQuery = z
  .strictObject({
    from: date.optional().meta({
      maxLength: 10,
      description: "The first day (UTC). Default: the first day of the month of `to`.",
    }),
    to: date.optional().meta({
      maxLength: 10,
      description: "The last day (UTC). Default: the last day of this month.",
    }),
  })
  .superRefine((query, context) => {
    const { start, end } = periodOf(query, new Date());
    if (start > end)
      context.addIssue({
        code: "custom",
        path: ["from"],
        message: "must not be after the end of the period",
      });
    else if (daysBetween(start, end) > maximumDays) {
      context.addIssue({
        code: "custom",
        path: ["from"],
        message: `must be later: a period has at most ${maximumDays} days`,
      });
    }
  });

const day = (description: string) => z.iso.date().meta({ description, maxLength: 10 });

export const usage = z
  .object({
    environment,
    billable: z
      .boolean()
      .meta({ description: "Whether this usage is billed. Always false in test." }),
    period: z
      .object({
        start: day("The first day of the period (UTC)."),
        end: day("The last day of the period (UTC), which is included."),
      })
      .meta({ description: "The days that are counted." }),
    totals: z.object(figures).meta({ description: "The figures of the whole period." }),
    series: z.array(z.object({ date: day("The day (UTC) of these figures."), ...figures })).meta({
      description: "The figures of each day of the period until today.",
      maxItems: maximumDays,
    }),
  })
  .meta({ id: "Usage", description: "What the account used in a period." });

export type UsageQuery = z.output<typeof usageQuery>;
export type Usage = z.input<typeof usage>;
export type UsageFigures = Usage["totals"];

/** The first and the last day of a query, with their defaults. */
export function periodOf({ from, to }: UsageQuery, now: Date): { start: string; end: string } {
  const end = to ?? dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0));
  return { start: from ?? `${end.slice(0, 8)}01`, end };
}

/** Every day from the first to the last, both inclusive. */
export function daysOf(start: string, end: string): string[] {
  return Array.from({ length: Math.max(0, daysBetween(start, end)) }, (_, index) =>
    dayOf(Date.parse(start) + index * dayMs),
  );
}

const daysBetween = (start: string, end: string) =>
  (Date.parse(end) - Date.parse(start)) / dayMs + 1;

/** The day, in UTC, of a time. */
export const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/** The midnight at which the day after this one begins. */
export const endOfDay = (day: string) => new Date(Date.parse(day) + dayMs);
