import { z } from "zod";
import { environment, instant, integer, storedText, text, timestamp } from "@/lib/platform/schema";
import { idOf, idParameter, reference } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { maximumBodyBytes } from "./mask-secrets";

const fields = {
  id: idOf("request").meta({ description: "The `X-Request-Id` of the response." }),
  environment,
  apiKeyId: idOf("apiKey").meta({ description: "The key that the request was sent with." }),
  method: storedText(20, "The HTTP method of the request."),
  path: storedText(2_048, "The path with its query. Secrets in it are masked."),
  status: integer("The status of the response.", { minimum: 100, maximum: 599 }),
  durationMs: integer("How long the response took, in milliseconds."),
  errorKind: storedText(50, "The kind of error: the last part of the problem's `type`.").nullable(),
  idempotencyKey: storedText(600, "The `Idempotency-Key` of the request.").nullable(),
  address: storedText(100, "The client's network address.").nullable(),
  userAgent: storedText(300, "The `User-Agent` of the request.").nullable(),
  isReplay: z.boolean().meta({
    description:
      "Whether the response is that of an earlier request with the same `Idempotency-Key`.",
  }),
  createdAt: timestamp.meta({ description: "When the request arrived." }),
};

export const requestLog = z
  .object(fields)
  .meta({ id: "RequestLog", description: "A request to the API, without its bodies." });

export type RequestLog = z.output<typeof requestLog>;

/** Masking can make a text longer, but not twice as long. */
const maximumMaskedLength = 2 * maximumBodyBytes;

/** A request with both bodies, masked and truncated, which lists leave out. */
export const requestLogWithBodies = z
  .object({
    ...fields,
    requestBody: storedText(
      maximumMaskedLength,
      "The first 16 KB of the request's body if it was JSON, with secrets masked. Null otherwise.",
    ).nullable(),
    responseBody: storedText(
      maximumMaskedLength,
      "The first 16 KB of the response's body, with secrets masked. Null for a successful read.",
    ).nullable(),
  })
  .meta({ id: "RequestLogWithBodies", description: "A request to the API, with its bodies." });

export type RequestLogWithBodies = z.output<typeof requestLogWithBodies>;

export const requestLogPage = pageOf(requestLog);
export const requestLogParams = z.object({ requestId: idParameter("request") });

/** Where the API lists requests. */
export const pathOfLog = "/v1/public/request-logs";

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

type StatusClass = (typeof statusClasses)[number];

export const loggedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Exactly this status, or its whole class. */
const statusFilter = z
  .string()
  .regex(/^([245]xx|[1-5][0-9][0-9])$/, "must be a status such as 404, or 2xx, 4xx or 5xx")
  .transform((value) => (/xx$/.test(value) ? (value as StatusClass) : Number(value)));

export const listRequestLogsQuery = listQuery("request", "desc", {
  apiKeyId: reference("apiKey").optional().meta({ description: "Only requests with this key." }),
  method: z
    .enum(["HEAD", ...loggedMethods])
    .meta({ id: "HttpMethod", description: "The method of a request to the API." })
    .optional()
    .meta({ description: "Only requests with this method." }),
  status: statusFilter.optional().meta({
    description:
      "Only responses with this status, or with one of its class: `4xx`, `5xx`, or `2xx` for all below 400.",
    examples: ["4xx"],
    maxLength: 3,
  }),
  errorKind: text(50)
    .min(1)
    .optional()
    .meta({
      description: "Only errors of this kind, such as `rate-limited`.",
      examples: ["rate-limited"],
    }),
  idempotencyKey: text(255).min(1).optional().meta({
    description: "Only requests with this `Idempotency-Key`.",
  }),
  path: text(500)
    .min(1)
    .optional()
    .meta({
      description: "Only requests whose path starts with this.",
      examples: ["/v1/public/conversations"],
    }),
  since: instant.optional().meta({ description: "Only requests of this time or later." }),
  until: instant.optional().meta({ description: "Only requests before this time." }),
});

/** The dashboard's list. `operation` is a whole path without its query, with `{id}` instead of ids. */
export const searchRequestLogsQuery = listRequestLogsQuery.extend({
  operation: z.string().max(500).optional(),
});

export type ListRequestLogs = z.output<typeof listRequestLogsQuery> & {
  operation?: string | undefined;
};

/**
 * At most this many requests are scanned for a page, so that its cost does not grow with the log,
 * even if few requests match.
 */
export const maximumScannedRows = 20_000;
