import type { Caller } from "./caller";

/**
 * Every kind of error in the API: its status and its title, which never varies.
 */
export const errorKinds = {
  "malformed-request": { status: 400, title: "The request could not be read" },
  "invalid-idempotency-key": { status: 400, title: "The Idempotency-Key header is not usable" },
  unauthorized: { status: 401, title: "API key missing or invalid" },
  "insufficient-scope": { status: 403, title: "The API key lacks the scope this operation needs" },
  "ip-not-allowed": { status: 403, title: "The API key may not be used from this address" },
  "invalid-link": { status: 403, title: "The link is not valid" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "request-timeout": { status: 408, title: "The request took too long" },
  conflict: { status: 409, title: "The resource already exists" },
  "idempotency-in-progress": {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
  },
  "invalid-transition": { status: 409, title: "The status cannot change this way" },
  "conversation-closed": { status: 409, title: "The conversation is closed" },
  "agent-archived": { status: 409, title: "The agent is archived" },
  "rotation-in-progress": { status: 409, title: "A secret rotation is still in progress" },
  "limit-reached": { status: 409, title: "A limit is reached" },
  "in-use": { status: 409, title: "The resource is in use" },
  gone: { status: 410, title: "The data was erased" },
  "precondition-failed": { status: 412, title: "The resource is not the version in If-Match" },
  "payload-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The media type is not supported" },
  "expectation-failed": { status: 417, title: "The expectation is not supported" },
  validation: { status: 422, title: "Validation failed" },
  "invalid-cursor": { status: 422, title: "The cursor is not usable" },
  "idempotency-key-reused": {
    status: 422,
    title: "The Idempotency-Key was used for another request",
  },
  "rate-limited": { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
} as const;

export type ErrorKind = keyof typeof errorKinds;

export const isErrorKind = (kind: string | null | undefined): kind is ErrorKind =>
  kind != null && Object.hasOwn(errorKinds, kind);

/**
 * One thing that is wrong with a request, and where: `pointer` is a JSON Pointer into `location`.
 * `predicate` completes the field's name to a sentence, as in "must be a list". Problems print both
 * (`sentenceOf`); a form shows the predicate alone, below its field.
 */
export type ValidationIssue = {
  pointer: string;
  location: "body" | "query" | "path" | "header";
  code: string;
  predicate: string;
};

/** A problem lists at most this many issues. */
export const maximumIssues = 50;

/** The field that an issue is about, as in `author.type`. Empty for the whole body or query. */
export const fieldOf = ({ pointer }: Pick<ValidationIssue, "pointer">): string =>
  pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");

/** `author.type must be …`, without a period. */
export const sentenceOf = (issue: ValidationIssue): string =>
  `${echo(fieldOf(issue)) || `The ${issue.location}`} ${issue.predicate}`;

/** Further members of a problem, for programs. */
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
  conversationCount?: number;
};

/**
 * Writes the audit entry about a refusal, in a transaction of its own after the refused change was
 * rolled back.
 */
export type AfterRollback = (caller: Caller) => Promise<unknown>;

/**
 * An error that the caller can fix. `detail` is shown to them, so it must be a sentence that we
 * wrote. Any other error becomes `internal` and shows nothing.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  afterRollback?: AfterRollback;

  constructor(
    readonly kind: ErrorKind,
    readonly detail: string,
    readonly members: ErrorMembers = {},
    readonly headers: Record<string, string> = {},
  ) {
    // Every rejected request makes one of these, and its stack would be 4% of its cost.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${kind}: ${detail}`);
    Error.stackTraceLimit = stackTraceLimit;
  }

  get status(): number {
    return errorKinds[this.kind].status;
  }
}

/** @returns null if the work throws an AppError */
export function unlessRefused<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The part of a client's text that a response repeats: at most 100 characters. */
export function echo(text: string, maximum = 100): string {
  if (text.length <= maximum) return text;
  // A surrogate pair must not be cut in half.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maximum - 2)) ? maximum - 2 : maximum - 1;
  return `${text.slice(0, end)}…`;
}

// One function for each problem that the API sends. Its sentences are only here, and the documented
// examples (lib/api/problem-explanations.ts) come from the same functions.

/** @param character where the parser stopped, from 1 */
export function invalidJson(character?: number): AppError {
  return new AppError(
    "malformed-request",
    `The body is not valid JSON${character === undefined ? "" : ` at character ${character}`}.`,
  );
}

export const notUtf8 = (what: string) =>
  new AppError("malformed-request", `${what} is not valid UTF-8.`);

export const requestTimeout = () =>
  new AppError(
    "request-timeout",
    "The request took too long to arrive.",
    {},
    { Connection: "close" },
  );

export const invalidIdempotencyKey = () =>
  new AppError(
    "invalid-idempotency-key",
    "The Idempotency-Key header must have 1 to 255 printable ASCII characters, for example a UUID.",
  );

export const repeatedIdempotencyKey = () =>
  new AppError(
    "invalid-idempotency-key",
    "The Idempotency-Key header must not be repeated. Send it once.",
  );

export const unauthorized = () =>
  new AppError(
    "unauthorized",
    "Send a valid API key as `Authorization: Bearer <key>`.",
    {},
    { "WWW-Authenticate": "Bearer" },
  );

export const insufficientScope = (requiredScope: string) =>
  new AppError(
    "insufficient-scope",
    `This operation needs the scope ${requiredScope}, which the API key does not have.`,
    {
      requiredScope,
    },
  );

export const addressNotAllowed = () =>
  new AppError("ip-not-allowed", "This API key cannot be used from this address.");

export const invalidFileLink = () =>
  new AppError(
    "invalid-link",
    "The link is incomplete, or was changed. Read the message or the file again for a new link.",
  );

export const fileLinkExpired = () =>
  new AppError(
    "invalid-link",
    "The link has expired: it is valid for 5 minutes. Read the message or the file again for a new link.",
  );

export function methodNotAllowed(methods: readonly string[]): AppError {
  const allow = methods.join(", ");
  return new AppError("method-not-allowed", `This path accepts ${allow}.`, {}, { Allow: allow });
}

/** @param what with its article, as in `A customer with the externalId "user_1"` */
export function alreadyExists(what: string, existingId: string | undefined): AppError {
  return new AppError(
    "conflict",
    `${what} already exists.`,
    existingId === undefined ? {} : { existingId },
  );
}

export const idempotencyInProgress = () =>
  new AppError(
    "idempotency-in-progress",
    "The first request with this Idempotency-Key is still in progress. Send the same request again in a moment.",
    { retryAfter: 1 },
    { "Retry-After": "1" },
  );

type Transition = { from: string; to: string; allowed: readonly string[] };

/** @param noun with its article: "A conversation" */
export function invalidTransition(noun: string, { from, to, allowed }: Transition): AppError {
  return new AppError("invalid-transition", `${noun} cannot change from ${from} to ${to}.`, {
    from,
    to,
    allowed: [...allowed],
  });
}

/**
 * For a delivery or document whose status does not allow the requested action, if that action is
 * not a change of status.
 */
export function notInThisStatus(
  detail: string,
  { from, to }: Omit<Transition, "allowed">,
): AppError {
  return new AppError("invalid-transition", detail, { from, to, allowed: [] });
}

export const conversationClosed = () =>
  new AppError(
    "conversation-closed",
    "The conversation is closed, so it accepts no messages. Create a new conversation, or set `onClosed`.",
  );

export const agentArchived = () =>
  new AppError(
    "agent-archived",
    "The agent is archived, and an archived agent cannot be changed. Create another agent.",
  );

/** @param until when the previous secret expires */
export function rotationInProgress(until: Date): AppError {
  const detail = `The previous secret is valid until ${until.toISOString()}. Rotate again after that time, or send overlapSeconds 0 to end every older secret immediately.`;
  return new AppError("rotation-in-progress", detail);
}

/** `detail` says which limit was reached and what to do about it. */
export function limitReached(
  detail: string,
  { limit, current }: { limit: number; current: number },
): AppError {
  return new AppError("limit-reached", detail, { limit, current });
}

export function tooManyWebhooks({ limit, current }: { limit: number; current: number }): AppError {
  return limitReached(`An environment has at most ${limit} webhooks. Delete one to make room.`, {
    limit,
    current,
  });
}

export const customerInUse = (conversationCount: number) =>
  new AppError(
    "in-use",
    `The customer has ${conversationCount} ${conversationCount === 1 ? "conversation" : "conversations"}. To delete ${conversationCount === 1 ? "it" : "them"} too, send \`cascade=true\`.`,
    { conversationCount },
  );

export const agentInUse = () =>
  new AppError("in-use", "Conversations refer to the agent. Change their `agentId` first.");

/** For a customer, and for the replay of a response about one. */
export const erased = (what: "customer" | "response") =>
  new AppError(
    "gone",
    what === "customer"
      ? "The customer was erased and can no longer be changed. Create another customer."
      : "The stored response to this Idempotency-Key was removed, because its message was redacted or its customer was erased. The first request took effect.",
  );

export const preconditionFailed = ({ exists = true } = {}) =>
  new AppError(
    "precondition-failed",
    exists
      ? "The resource has changed since the version in `If-Match`. Read it again, and send the change with its current `ETag`."
      : "The resource does not exist. To create it, send the request without `If-Match`.",
  );

export const bodyTooLarge = (maximumBytes: number) =>
  new AppError(
    "payload-too-large",
    `A body can be at most ${maximumBytes / 1_024} KiB.`,
    {},
    { Connection: "close" },
  );

export const jsonRequired = () =>
  new AppError(
    "unsupported-media-type",
    "Send the body as `Content-Type: application/json`, in UTF-8.",
  );

export const expectationFailed = () =>
  new AppError("expectation-failed", "The only expectation supported is `100-continue`.");

/** All issues of a request. `detail` repeats the first one. */
export function invalidRequest(issues: ValidationIssue[]): AppError {
  const [first] = issues;
  const sentence = first ? sentenceOf(first) : "The request is not valid";
  const end =
    issues.length > 1 ? ` (and ${issues.length - 1} more).` : sentence.endsWith("?") ? "" : ".";
  return new AppError("validation", `${sentence}${end}`, {
    errors: issues.slice(0, maximumIssues),
  });
}

/** An issue that a service finds in the body, like those of a schema. */
export const invalidBody = (pointer: string, code: string, predicate: string): AppError =>
  invalidRequest([{ pointer, location: "body", code, predicate }]);

/** For a cursor of another list or another tenant, and for one that never existed. */
export const invalidCursor = (): AppError =>
  new AppError("invalid-cursor", "The cursor must be a `nextCursor` of this list.", {
    errors: [
      {
        pointer: "/cursor",
        location: "query",
        code: "invalid_cursor",
        predicate: "must be a `nextCursor` of this list",
      },
    ],
  });

/** Likewise for a stream, whose cursor can also be in the header `Last-Event-ID`. */
export function invalidStreamCursor(location: "query" | "header"): AppError {
  const name = location === "header" ? "Last-Event-ID" : "cursor";
  const predicate = "must be the id of an event of this feed, or `start`";
  return new AppError("invalid-cursor", `${name} ${predicate}.`, {
    errors: [{ pointer: `/${name}`, location, code: "invalid_cursor", predicate }],
  });
}

export function tooManyStreams({
  of,
  limit,
}: {
  of: "key" | "environment";
  limit: number;
}): AppError {
  const who = of === "key" ? "An API key has" : "All API keys of an environment together have";
  return limitReached(
    `${who} at most ${limit} open event streams. Close one, or read several types from one stream.`,
    { limit, current: limit },
  );
}

/** Another process may have room. */
export const tooManyStreamsInProcess = () =>
  new AppError(
    "unavailable",
    "The server has as many open event streams as it can serve. Try again shortly.",
    { retryAfter: 5 },
    { "Retry-After": "5" },
  );

export const idempotencyKeyReused = () =>
  new AppError(
    "idempotency-key-reused",
    "This Idempotency-Key was used for another request. Use a new key for each request.",
  );

export const internalError = () =>
  new AppError(
    "internal",
    "Something went wrong on our side. Contact the operator with the `requestId` if it happens again.",
  );

export const unavailable = () =>
  new AppError(
    "unavailable",
    "The service is temporarily unavailable. Try again shortly.",
    { retryAfter: 1 },
    { "Retry-After": "1" },
  );
