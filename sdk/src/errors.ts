import type { Problem } from "./generated/types";

/**
 * One thing that is wrong with a request, and where: `pointer` is a JSON Pointer into `location`.
 */
export type ValidationIssue = NonNullable<Problem["errors"]>[number];

/**
 * What every error of this package is. An abort is none: there the signal's own reason is thrown.
 */
export class ParlanceError extends Error {
  override name = "ParlanceError";
}

/**
 * No whole answer came: name look-up, connection, TLS, or cut off in the middle. `cause` is what
 * `fetch` threw.
 */
export class ConnectionError extends ParlanceError {
  override name = "ConnectionError";
}

/** No whole answer came in time. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";

  constructor(readonly timeoutMs: number) {
    super(`No whole answer within ${timeoutMs} ms.`);
  }
}

/**
 * The API refused, or failed. Each kind of the API has a class of its own below; one that is newer
 * than this package has this.
 */
export class ApiError extends ParlanceError {
  override name = "ApiError";
  readonly status: number;
  /** The last part of `type`, for example `not-found`. */
  readonly kind: string;
  /** The address of a page on this kind of error. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** Everything that is wrong with the request; empty where the kind is not `validation`. */
  readonly errors: ValidationIssue[];
  /** Quote it when asking for help. */
  readonly requestId: string | null;
  readonly requiredScope: string | null;
  readonly existingId: string | null;
  /** With `limit-reached`: how much there may be. */
  readonly limit: number | null;
  /** With `limit-reached`: how much there is. */
  readonly current: number | null;
  /** Whole seconds to wait before the next attempt. */
  readonly retryAfter: number | null;
  readonly headers: Headers;

  constructor(
    kind: string,
    problem: Partial<Problem>,
    { status, headers }: Pick<Response, "status" | "headers">,
  ) {
    const requestId = headers.get("x-request-id") ?? problem.requestId ?? null;
    const detail = problem.detail ?? "";
    const errors = problem.errors ?? [];
    const findings = errors.map(
      ({ pointer, location, message }) => `\n  ${location} ${pointer} ${message}`,
    );
    super(`${status} ${kind}: ${detail}${requestId ? ` (${requestId})` : ""}${findings.join("")}`);
    this.status = status;
    this.kind = kind;
    this.type = problem.type ?? "about:blank";
    this.title = problem.title ?? "";
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.requiredScope = problem.requiredScope ?? null;
    this.existingId = problem.existingId ?? null;
    this.limit = problem.limit ?? null;
    this.current = problem.current ?? null;
    this.retryAfter = retryAfterSeconds(headers) ?? problem.retryAfter ?? null;
    this.headers = headers;
  }
}

export class MalformedRequestError extends ApiError {
  override name = "MalformedRequestError";
}

export class InvalidIdempotencyKeyError extends ApiError {
  override name = "InvalidIdempotencyKeyError";
}

/** The key is missing, unknown, expired or revoked; which of these is not told. */
export class UnauthorizedError extends ApiError {
  override name = "UnauthorizedError";
}

/** `requiredScope` is what the key lacks. */
export class InsufficientScopeError extends ApiError {
  override name = "InsufficientScopeError";
}

export class IpNotAllowedError extends ApiError {
  override name = "IpNotAllowedError";
}

export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

export class MethodNotAllowedError extends ApiError {
  override name = "MethodNotAllowedError";
}

/** The request did not arrive in time. */
export class RequestTimeoutError extends ApiError {
  override name = "RequestTimeoutError";
}

/** `existingId` is what is there already. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/**
 * The first request with this idempotency key has not ended yet, and neither had it after all
 * retries.
 */
export class IdempotencyInProgressError extends ApiError {
  override name = "IdempotencyInProgressError";
}

export class InvalidTransitionError extends ApiError {
  override name = "InvalidTransitionError";
  readonly from: string;
  readonly to: string;
  /** Where the conversation could go instead. */
  readonly allowed: string[];

  constructor(
    kind: string,
    problem: Partial<Problem>,
    response: Pick<Response, "status" | "headers">,
  ) {
    super(kind, problem, response);
    this.from = problem.from ?? "";
    this.to = problem.to ?? "";
    this.allowed = problem.allowed ?? [];
  }
}

export class ConversationClosedError extends ApiError {
  override name = "ConversationClosedError";
}

export class AgentArchivedError extends ApiError {
  override name = "AgentArchivedError";
}

export class RotationInProgressError extends ApiError {
  override name = "RotationInProgressError";
}

/** `limit` is how much there may be, `current` how much there is. */
export class LimitReachedError extends ApiError {
  override name = "LimitReachedError";
}

export class PayloadTooLargeError extends ApiError {
  override name = "PayloadTooLargeError";
}

export class UnsupportedMediaTypeError extends ApiError {
  override name = "UnsupportedMediaTypeError";
}

/** The `Expect` header holds something other than `100-continue`. */
export class ExpectationFailedError extends ApiError {
  override name = "ExpectationFailedError";
}

/** `errors` holds everything that is wrong. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}

export class InvalidCursorError extends ApiError {
  override name = "InvalidCursorError";
}

export class IdempotencyKeyReusedError extends ApiError {
  override name = "IdempotencyKeyReusedError";
}

/**
 * Still limited after all retries, or for longer than this package waits; `retryAfter` says how
 * long.
 */
export class RateLimitedError extends ApiError {
  override name = "RateLimitedError";
}

export class InternalError extends ApiError {
  override name = "InternalError";
}

export class UnavailableError extends ApiError {
  override name = "UnavailableError";
}

/**
 * The answer is none of the API's: a proxy's error page, a redirect, a page that says 200. Its kind
 * is `unexpected-answer`.
 */
export class UnexpectedAnswerError extends ApiError {
  override name = "UnexpectedAnswerError";
}

/** Seconds or a date, as HTTP has it; null where neither stands there. */
function retryAfterSeconds(headers: Headers): number | null {
  const value = headers.get("retry-after");
  if (!value) return null;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
