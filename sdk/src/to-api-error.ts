import { nameOfKind } from "./error-name";
import {
  AgentArchivedError,
  ApiError,
  ConflictError,
  ConversationClosedError,
  ExpectationFailedError,
  GoneError,
  IdempotencyInProgressError,
  IdempotencyKeyReusedError,
  InsufficientScopeError,
  InternalError,
  InUseError,
  InvalidCursorError,
  InvalidIdempotencyKeyError,
  InvalidLinkError,
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

/** The class of each kind of error, by its name. */
export const errorClasses: Record<string, typeof ApiError> = {
  MalformedRequestError,
  InvalidIdempotencyKeyError,
  UnauthorizedError,
  InsufficientScopeError,
  IpNotAllowedError,
  InvalidLinkError,
  NotFoundError,
  MethodNotAllowedError,
  RequestTimeoutError,
  ConflictError,
  IdempotencyInProgressError,
  InvalidTransitionError,
  ConversationClosedError,
  AgentArchivedError,
  RotationInProgressError,
  LimitReachedError,
  InUseError,
  GoneError,
  PreconditionFailedError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ExpectationFailedError,
  ValidationError,
  InvalidCursorError,
  IdempotencyKeyReusedError,
  RateLimitedError,
  InternalError,
  UnavailableError,
};

/** The error that a response reports. `body` is the JSON of its text, or undefined if it has none. */
export function toApiError(response: Response, body: unknown, text: string): ApiError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  const [, kind] = /\/errors\/([\w-]+)$/.exec(String(problem.type)) ?? [];
  if (!kind || typeof problem.detail !== "string") {
    const detail = `The response does not come from the API. Its media type is ${response.headers.get("content-type") ?? "unknown"}.`;
    return new UnexpectedResponseError({ detail }, response, text);
  }
  const Class = errorClasses[nameOfKind(kind)] ?? ApiError;
  return new Class(kind, problem, response);
}
