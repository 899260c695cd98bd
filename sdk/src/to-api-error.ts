import {
  AgentArchivedError,
  ApiError,
  ConflictError,
  ConversationClosedError,
  ExpectationFailedError,
  IdempotencyInProgressError,
  IdempotencyKeyReusedError,
  InsufficientScopeError,
  InternalError,
  InvalidCursorError,
  InvalidIdempotencyKeyError,
  InvalidTransitionError,
  IpNotAllowedError,
  LimitReachedError,
  MalformedRequestError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  RateLimitedError,
  RequestTimeoutError,
  RotationInProgressError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedResponseError,
  UnsupportedMediaTypeError,
  ValidationError,
} from "./errors";
import type { Problem } from "./generated/types";

/** The class of each kind of error. */
export const errorClasses = {
  "malformed-request": MalformedRequestError,
  "invalid-idempotency-key": InvalidIdempotencyKeyError,
  unauthorized: UnauthorizedError,
  "insufficient-scope": InsufficientScopeError,
  "ip-not-allowed": IpNotAllowedError,
  "not-found": NotFoundError,
  "method-not-allowed": MethodNotAllowedError,
  "request-timeout": RequestTimeoutError,
  conflict: ConflictError,
  "idempotency-in-progress": IdempotencyInProgressError,
  "invalid-transition": InvalidTransitionError,
  "conversation-closed": ConversationClosedError,
  "agent-archived": AgentArchivedError,
  "rotation-in-progress": RotationInProgressError,
  "limit-reached": LimitReachedError,
  "precondition-failed": PreconditionFailedError,
  "payload-too-large": PayloadTooLargeError,
  "unsupported-media-type": UnsupportedMediaTypeError,
  "expectation-failed": ExpectationFailedError,
  validation: ValidationError,
  "invalid-cursor": InvalidCursorError,
  "idempotency-key-reused": IdempotencyKeyReusedError,
  "rate-limited": RateLimitedError,
  internal: InternalError,
  unavailable: UnavailableError,
} satisfies Record<string, typeof ApiError>;

type ErrorKind = keyof typeof errorClasses;

/** The error that a response reports. `body` is its JSON, or undefined if it has none. */
export function toApiError(response: Response, body: unknown): ApiError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  const [, kind] = /\/errors\/([\w-]+)$/.exec(String(problem.type)) ?? [];
  if (!kind || typeof problem.detail !== "string") {
    const detail = `The response does not come from the API. Its media type is ${response.headers.get("content-type") ?? "unknown"}.`;
    return new UnexpectedResponseError("unexpected-response", { detail }, response);
  }
  const Class: typeof ApiError = Object.hasOwn(errorClasses, kind)
    ? errorClasses[kind as ErrorKind]
    : ApiError;
  return new Class(kind, problem, response);
}
