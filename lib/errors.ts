import type { AuditRecord } from "@/lib/audit/service";
import type { IdKind } from "@/lib/ids";

/** Every kind of error the API can answer with: its status, and a title that is the same each time. */
export const errorKinds = {
  "malformed-request": { status: 400, title: "The request could not be read" },
  "invalid-idempotency-key": { status: 400, title: "The Idempotency-Key header is not usable" },
  unauthorized: { status: 401, title: "API key missing or invalid" },
  "insufficient-scope": { status: 403, title: "The API key lacks the scope this operation needs" },
  "ip-not-allowed": { status: 403, title: "The API key may not be used from this address" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "request-timeout": { status: 408, title: "The request took too long" },
  conflict: { status: 409, title: "The resource already exists" },
  "idempotency-in-progress": { status: 409, title: "A request with this Idempotency-Key is still running" },
  "invalid-transition": { status: 409, title: "The status cannot change this way" },
  "conversation-closed": { status: 409, title: "The conversation is closed" },
  "agent-archived": { status: 409, title: "The agent is archived" },
  "rotation-in-progress": { status: 409, title: "A secret rotation is still in progress" },
  "limit-reached": { status: 409, title: "A limit of the account is reached" },
  "payload-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The media type is not supported" },
  "expectation-failed": { status: 417, title: "The expectation is not supported" },
  validation: { status: 422, title: "Validation failed" },
  "invalid-cursor": { status: 422, title: "The cursor is not usable" },
  "idempotency-key-reused": { status: 422, title: "The Idempotency-Key was used for another request" },
  "rate-limited": { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
} as const;

export type ErrorKind = keyof typeof errorKinds;

export const isErrorKind = (kind: string | null | undefined): kind is ErrorKind => kind != null && Object.hasOwn(errorKinds, kind);

/** One thing that is wrong with a request, and where: `pointer` is a JSON Pointer into `location`. */
export type ValidationIssue = {
  pointer: string;
  location: "body" | "query" | "path" | "header";
  code: string;
  message: string;
};

/** Members that a problem carries beside the common ones, for a client to act on. */
export type ErrorMembers = {
  errors?: ValidationIssue[];
  requiredScope?: string;
  existingId?: string;
  retryAfter?: number;
  from?: string;
  to?: string;
  allowed?: string[];
  limit?: number;
  current?: number;
};

/**
 * Something the caller can mend. `detail` is shown to them, so it is always a sentence of ours; whatever else is thrown
 * becomes `internal` and shows nothing.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  /** An audit entry about the refusal, which is written once the refused change is rolled back. */
  audit?: AuditRecord;

  constructor(
    readonly kind: ErrorKind,
    readonly detail: string,
    readonly members: ErrorMembers = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(`${kind}: ${detail}`);
  }

  get status(): number {
    return errorKinds[this.kind].status;
  }
}

/** What a client sent, as far as a response repeats it: at most 100 characters. */
export function echo(text: string, maximum = 100): string {
  if (text.length <= maximum) return text;
  // A surrogate pair must not be cut in half.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maximum - 2)) ? maximum - 2 : maximum - 1;
  return `${text.slice(0, end)}…`;
}

const nouns: Partial<Record<IdKind, string>> = { apiKey: "API key", knowledgeBase: "knowledge base" };

/** Also what another tenant's row is, or one of the other environment: nothing that this caller could tell from none. */
export function notFound(kind: IdKind, id: string): AppError {
  return new AppError("not-found", `There is no ${nouns[kind] ?? kind} with the id "${echo(id)}".`);
}

/** `detail` names what there are too many of, and what to do about it. */
export function limitReached(detail: string, { limit, current }: { limit: number; current: number }): AppError {
  return new AppError("limit-reached", detail, { limit, current });
}

/** One finding of a service about the body, in the shape of a schema's own. */
export function invalidBody(pointer: string, code: string, message: string): AppError {
  return new AppError("validation", message, { errors: [{ pointer, location: "body", code, message }] });
}

/** The cursor of another list, of another tenant, or of none. */
export function invalidCursor(): AppError {
  const errors = [{ pointer: "/cursor", location: "query" as const, code: "invalid_cursor", message: "cursor is no cursor of this list" }];
  return new AppError("invalid-cursor", "The cursor is not one that this list gave out as `nextCursor`.", { errors });
}
