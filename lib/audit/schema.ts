import { z } from "zod";
import { startOfDay } from "@/lib/platform/zoned-time";
import { auditActions } from "./actions";

const day = z.iso
  .date({ error: "must be a day, for example 2026-03-01", abort: true })
  // PostgreSQL has no year 0000, in which the first days of 0001 can start in the viewer's zone.
  .refine((text) => text >= "1970" && text < "9999", {
    error: "must be between the years 1970 and 9998",
    abort: true,
  });

/**
 * The query of the log's page and of its CSV. `from` and `to` are days in the viewer's zone, both
 * included.
 */
export const listAuditQuery = (zone: string) =>
  z.strictObject({
    cursor: z
      .string()
      .regex(/^[1-9][0-9]{0,8}$/, "must be a cursor of this list")
      .transform(Number)
      .optional(),
    actor: z.string().max(100).optional(),
    action: z.enum(auditActions, "must be one of the actions").optional(),
    from: day.transform((text) => startOfDay(text, zone) ?? undefined).optional(),
    to: day.transform((text) => startOfDay(text, zone, 1) ?? undefined).optional(),
  });

export type ListAudit = z.output<ReturnType<typeof listAuditQuery>>;
