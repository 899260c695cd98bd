import { z } from "zod";
import { environment, idOf, timestamp } from "@/lib/schema";

export const requestLog = z.object({
  id: idOf("request"),
  environment,
  apiKeyId: idOf("apiKey"),
  method: z.string(),
  path: z.string(),
  status: z.number().int(),
  durationMs: z.number().int(),
  errorKind: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: timestamp,
});

export type RequestLog = z.output<typeof requestLog>;

/** What can be read of a request beside the row of a list: both bodies, masked and cut off. */
export type RequestLogWithBodies = RequestLog & { requestBody: string | null; responseBody: string | null };

export const statusClasses = ["2xx", "4xx", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

export type ListRequestLogs = {
  cursor?: string | undefined;
  limit: number;
  order: "asc" | "desc";
  apiKeyId?: string | undefined;
  method?: string | undefined;
  /** Exactly this status, or all of its hundred. */
  status?: number | StatusClass | undefined;
  errorKind?: string | undefined;
  /** The beginning of the path. */
  path?: string | undefined;
  /** Requests of this time or later, and before `until`. */
  since?: Date | undefined;
  until?: Date | undefined;
};
