import { nameOfKind } from "./error-name";
import type { Problem } from "./generated/types";

/**
 * One thing that is wrong with a request, and where: `pointer` is a JSON Pointer into `location`.
 */
export type ValidationIssue = NonNullable<Problem["errors"]>[number];

/**
 * The base class of every error of this package. After an abort, the signal's own reason is thrown
 * instead.
 */
export class ParlanceError extends Error {
  override name = "ParlanceError";
}

/**
 * There was no complete response: the DNS lookup, connection or TLS failed, or the response broke
 * off. `cause` is what `fetch` threw.
 */
export class ConnectionError extends ParlanceError {
  override name = "ConnectionError";
}

/** There was no complete response in time. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";

  constructor(readonly timeoutMs: number) {
    super(`No complete response within ${timeoutMs} ms.`);
  }
}

/**
 * The API responded with an error. Each kind has its own class below. A kind that is newer than
 * this package has this class.
 */
export class ApiError extends ParlanceError {
  readonly status: number;
  /** The last part of `type`, for example `not-found`. */
  readonly kind: string;
  /** The URL of a page that explains this kind of error. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** Everything that is wrong with the request. Empty unless the kind is `validation`. */
  readonly errors: ValidationIssue[];
  /** Include it when you ask for help. */
  readonly requestId: string | null;
  readonly requiredScope: string | null;
  readonly existingId: string | null;
  /** With `limit-reached`: the limit. */
  readonly limit: number | null;
  /** With `limit-reached`: the current number. */
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
    // A minifier would shorten the name of the class itself.
    this.name = new.target === ApiError ? "ApiError" : nameOfKind(kind);
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

export class MalformedRequestError extends ApiError {}

export class InvalidIdempotencyKeyError extends ApiError {}

/** The key is missing, unknown, expired or revoked. The API does not say which. */
export class UnauthorizedError extends ApiError {}

/** `requiredScope` is the scope that the key lacks. */
export class InsufficientScopeError extends ApiError {}

export class IpNotAllowedError extends ApiError {}

/** From downloading a file, not from a call of the API: the link expired or was changed. */
export class InvalidLinkError extends ApiError {}

export class NotFoundError extends ApiError {}

export class MethodNotAllowedError extends ApiError {}

/** The request did not arrive in time. */
export class RequestTimeoutError extends ApiError {}

/** `existingId` is the id of the existing resource. */
export class ConflictError extends ApiError {}

/** Other resources refer to it. `conversationCount` is the number of a customer's conversations. */
export class InUseError extends ApiError {
  readonly conversationCount: number | undefined;

  constructor(
    kind: string,
    problem: Partial<Problem>,
    response: Pick<Response, "status" | "headers">,
  ) {
    super(kind, problem, response);
    this.conversationCount = problem.conversationCount;
  }
}

/** The customer was erased, or the response that would be replayed. */
export class GoneError extends ApiError {}

/** The first request with this idempotency key is still in progress, even after all retries. */
export class IdempotencyInProgressError extends ApiError {}

export class InvalidTransitionError extends ApiError {
  readonly from: string;
  readonly to: string;
  /** The statuses that the conversation can change to. */
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

export class ConversationClosedError extends ApiError {}

export class AgentArchivedError extends ApiError {}

export class RotationInProgressError extends ApiError {}

/** `limit` is the limit, and `current` the current number. */
export class LimitReachedError extends ApiError {}

/** The resource is not the version that `ifMatch` names. Nothing was changed. */
export class PreconditionFailedError extends ApiError {}

export class PayloadTooLargeError extends ApiError {}

export class UnsupportedMediaTypeError extends ApiError {}

/** The `Expect` header is not `100-continue`. */
export class ExpectationFailedError extends ApiError {}

/** `errors` lists everything that is wrong. */
export class ValidationError extends ApiError {}

export class InvalidCursorError extends ApiError {}

export class IdempotencyKeyReusedError extends ApiError {}

/**
 * Still limited after all retries, or for longer than this package waits. `retryAfter` says how
 * long.
 */
export class RateLimitedError extends ApiError {}

export class InternalError extends ApiError {}

export class UnavailableError extends ApiError {}

/**
 * The response does not come from the API: a proxy's error page, a redirect, or a page with status
 * 200. The kind is `unexpected-response`.
 */
export class UnexpectedResponseError extends ApiError {
  constructor(
    problem: Partial<Problem>,
    response: Pick<Response, "status" | "headers">,
    /** The body as text. It may be an HTML page. */
    readonly rawResponse: string,
  ) {
    super("unexpected-response", problem, response);
    // A page must not fill a log that prints the error.
    Object.defineProperty(this, "rawResponse", { value: rawResponse, enumerable: false });
  }
}

/** `Retry-After` is a number of seconds or a date. Null if it is neither. */
function retryAfterSeconds(headers: Headers): number | null {
  const value = headers.get("retry-after");
  if (!value) return null;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
