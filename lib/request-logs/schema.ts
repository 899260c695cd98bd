import { z } from "zod";
import { environment, instant, timestamp } from "@/lib/platform/schema";
import { idOf, reference } from "@/lib/resources/id-schema";
import { listQuery } from "@/lib/resources/pages";

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
  userAgent: z.string().nullable(),
  /** Whether the response is that of an earlier request with the same idempotency key. */
  isReplay: z.boolean(),
  createdAt: timestamp,
});

export type RequestLog = z.output<typeof requestLog>;

/** A request with both bodies, masked and truncated, which lists leave out. */
export type RequestLogWithBodies = RequestLog & {
  requestBody: string | null;
  responseBody: string | null;
};

/** Requests with the same error and operation. */
export type ErrorGroup = {
  errorKind: string | null;
  method: string;
  /** The path, with `{id}` instead of ids. */
  operation: string;
  status: number;
  count: number;
  lastAt: Date;
};

export const statusClasses = ["2xx", "4xx", "5xx"] as const;

export const loggedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const exactStatus = z
  .string()
  .regex(/^[1-5]\d\d$/)
  .transform(Number);

export const listRequestLogsQuery = listQuery("request", "desc", {
  apiKeyId: reference("apiKey").optional(),
  method: z.string().max(20).optional(),
  /** Exactly this status, or its whole class. */
  status: z.union([z.enum(statusClasses), exactStatus]).optional(),
  errorKind: z.string().max(50).optional(),
  idempotencyKey: z.string().max(255).optional(),
  /** A prefix of the path. */
  path: z.string().max(500).optional(),
  /** Requests at this time or later, and before `until`. */
  since: instant.optional(),
  until: instant.optional(),
});

export type ListRequestLogs = z.output<typeof listRequestLogsQuery>;

/**
 * At most this many requests are scanned for a page, so that its cost does not grow with the log,
 * even if few requests match.
 */
export const maximumScannedRows = 20_000;
