import { z } from "zod";
import { auditActions } from "./actions";

const day = z.iso.date("must be a day, for example 2026-03-01");

/** The query of the log's page and of its CSV. `from` and `to` are days in UTC, both included. */
export const listAuditQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, "must be a cursor of this list")
    .transform(Number)
    .optional(),
  actor: z.string().max(100).optional(),
  action: z.enum(auditActions, "must be one of the actions").optional(),
  from: day.transform((text) => new Date(text)).optional(),
  to: day.transform((text) => new Date(Date.parse(text) + 86_400_000)).optional(),
});

export type ListAudit = z.output<typeof listAuditQuery>;
