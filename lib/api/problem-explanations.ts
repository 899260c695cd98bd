import { createConversationBody, transitions } from "@/lib/conversations/schema";
import {
  type AppError,
  addressNotAllowed,
  agentArchived,
  alreadyExists,
  bodyTooLarge,
  conversationClosed,
  customerInUse,
  type ErrorKind,
  erased,
  errorKinds,
  expectationFailed,
  idempotencyInProgress,
  idempotencyKeyReused,
  insufficientScope,
  internalError,
  invalidCursor,
  invalidFileLink,
  invalidIdempotencyKey,
  invalidJson,
  invalidRequest,
  invalidTransition,
  jsonRequired,
  methodNotAllowed,
  preconditionFailed,
  requestTimeout,
  rotationInProgress,
  tooManyWebhooks,
  unauthorized,
  unavailable,
} from "@/lib/platform/errors";
import type { JsonValue } from "@/lib/platform/openapi";
import { notFound } from "@/lib/resources/not-found";
import { toPublicMembers } from "./problem";
import { limitedRequests, rateLimited } from "./rate-limit";
import { maximumBodyBytes } from "./read-request";
import { check } from "./validate";

/** The documentation of one kind of problem, with an example. */
type Explanation = {
  /** What happened, as a sentence. */
  what: string;
  /** The possible causes, in Markdown. */
  why: string[];
  /** What to do about it, in Markdown. */
  howToFix: string[];
  /** Whether the same request can succeed later. */
  canRetry: boolean;
  /**
   * Made by the same function as the error itself, so the documented text cannot differ from the
   * real one.
   */
  example: { error: AppError; instance: string };
};

const id = (prefix: string) => `${prefix}_01KA5V0V7W3Y5Z8J4QX2N6M9TC`;
const conversations = "/v1/public/conversations";
const conversation = `${conversations}/${id("cnv")}`;
const agent = `/v1/public/agents/${id("agt")}`;
const rotation = `/v1/public/webhooks/${id("whk")}/rotate-secret`;

/**
 * An explanation of every kind of problem. Its page, `/docs/errors/<kind>`, and the examples of the
 * OpenAPI document come from here.
 */
export const problemExplanations: Record<ErrorKind, Explanation> = {
  "malformed-request": {
    what: "The body could not be read.",
    why: [
      "The body is empty, incomplete, not valid JSON or not valid UTF-8.",
      "A form is incomplete, or a field or the file name in it is not valid UTF-8.",
    ],
    howToFix: [
      "Send a JSON object. Use your language's JSON encoder instead of joining strings.",
      "`detail` says what could not be read. For JSON, it includes the position at which the parser stopped.",
    ],
    canRetry: false,
    example: { error: invalidJson(24), instance: conversations },
  },
  "invalid-idempotency-key": {
    what: "The value of the `Idempotency-Key` header is not a valid key.",
    why: [
      "It is empty, longer than 255 characters, or has characters other than printable ASCII.",
      "The header is repeated.",
    ],
    howToFix: [
      "Send a new UUID for each change that you want to make once, and the same UUID when you repeat that request.",
    ],
    canRetry: false,
    example: { error: invalidIdempotencyKey(), instance: conversations },
  },
  unauthorized: {
    what: "The request has no valid API key.",
    why: [
      "The `Authorization` header is missing, or is not `Bearer <key>`.",
      "The key is mistyped, expired, rotated or revoked. All of these get the same response, so that it reveals nothing.",
    ],
    howToFix: [
      "Send `Authorization: Bearer <key>` with the whole key, from its prefix to its last character.",
      "Check in the dashboard, under **API keys**, whether the key is still active. If not, create a new one.",
    ],
    canRetry: false,
    example: { error: unauthorized(), instance: conversations },
  },
  "insufficient-scope": {
    what: "The API key is valid but lacks the scope for this operation.",
    why: ["Every operation needs one scope. `requiredScope` names the one that the key lacks."],
    howToFix: [
      "Add the scope to the key in the dashboard, or create a key that has it.",
      "A `write:` scope does not include the `read:` scope. A key that reads and writes needs both.",
    ],
    canRetry: false,
    example: { error: insufficientScope("write:conversations"), instance: conversations },
  },
  "ip-not-allowed": {
    what: "The API key is valid but not allowed from this address.",
    why: ["The key is limited to certain networks, and the request came from outside them."],
    howToFix: [
      "Send the request from one of the key's networks, or change them in the dashboard.",
      "Behind a proxy, the address is taken from `X-Forwarded-For` as the operator has configured it (`TRUSTED_PROXY_HOPS`).",
    ],
    canRetry: false,
    example: { error: addressNotAllowed(), instance: conversations },
  },
  "invalid-link": {
    what: "The link to download a file is not valid.",
    why: [
      "It has expired: a link is valid for 5 minutes.",
      "It is incomplete, or was changed. A mail program may have cut it, or an HTML page may have encoded it twice.",
    ],
    howToFix: [
      "Read the message or the file again. The response has a new link in `url`.",
      "To keep the file, download it and store it yourself. Do not store the link.",
    ],
    canRetry: false,
    example: {
      error: invalidFileLink(),
      instance: `/files/${id("ten")}/live/${id("fil")}`,
    },
  },
  "not-found": {
    what: "Nothing that the API key can access has this id or path.",
    why: [
      "The id does not exist, or its resource was deleted.",
      "It belongs to the other environment: a test key does not see live data, and a live key does not see test data.",
      "The path is mistyped, or ends in a slash.",
    ],
    howToFix: [
      "Compare the prefix of the id with what the path expects: `cnv_` for a conversation, `cus_` for a customer, and so on.",
      "Check that the key belongs to the environment of the resource.",
    ],
    canRetry: false,
    example: { error: notFound("conversation", id("cnv")), instance: conversation },
  },
  "method-not-allowed": {
    what: "The path exists but does not accept this method.",
    why: ["For example `PUT` for a conversation. Make its changes with `PATCH`."],
    howToFix: ["Use one of the methods that the `Allow` header of the response lists."],
    canRetry: false,
    example: { error: methodNotAllowed(["GET", "HEAD", "POST"]), instance: conversations },
  },
  "request-timeout": {
    what: "The request did not arrive in time.",
    why: [
      "Headers must arrive within 15 seconds, a body within 30 seconds, and an uploaded file within 2 minutes.",
      "If a process holds more than 64 MiB of incomplete bodies, not counting uploads, the largest of them are refused early.",
    ],
    howToFix: ["Send the request again with the same `Idempotency-Key`. Nothing was changed."],
    canRetry: true,
    example: { error: requestTimeout(), instance: conversations },
  },
  conflict: {
    what: "A resource with the same unique value already exists.",
    why: [
      "A customer with this `externalId`, a knowledge base with this name, or a document with the same bytes already exists.",
      "A file is already attached to a message. `existingId` is the message's id.",
      "Two processes created the same thing at the same time, and the other one was first.",
    ],
    howToFix: [
      "Use the existing one: `existingId` is its id.",
      "To create a customer or change the existing one in a single request, send `PUT /v1/public/customers/by-external-id/{externalId}`.",
      "Send an `Idempotency-Key`. A repeated request then gets the first response instead.",
    ],
    canRetry: false,
    example: {
      error: alreadyExists('A customer with the externalId "user_8412"', id("cus")),
      instance: "/v1/public/customers",
    },
  },
  "idempotency-in-progress": {
    what: "The first request with this `Idempotency-Key` is still in progress.",
    why: [
      "The same request was sent again before the first one ended, and did not end within 5 seconds.",
    ],
    howToFix: [
      "Send the same request with the same key again after the seconds in `Retry-After`. It gets the first response.",
    ],
    canRetry: true,
    example: { error: idempotencyInProgress(), instance: conversations },
  },
  "invalid-transition": {
    what: "The resource cannot change from its current status to the requested one.",
    why: [
      "Conversation: `CLOSED` is final for a `PATCH`, and `RESOLVED` changes to `OPEN` or `CLOSED` only. The status may have changed since you read it: `from` is the current one.",
      "Delivery: an attempt is already in progress or about to start, so the delivery cannot be resent yet.",
      "Webhook: it is disabled, so its deliveries are held and can be neither recovered nor replayed; or it is suspended, so it cannot be enabled until it is confirmed.",
    ],
    howToFix: [
      "Conversation: choose one of `allowed`, or create a new conversation.",
      "Delivery: wait until the attempt has ended.",
      'Webhook: enable it with `{"status": "ENABLED"}`, then recover or replay its deliveries. An owner or admin confirms a suspended one in the dashboard.',
    ],
    canRetry: false,
    example: {
      error: invalidTransition("A conversation", {
        from: "RESOLVED",
        to: "PENDING",
        allowed: transitions.RESOLVED,
      }),
      instance: conversation,
    },
  },
  "conversation-closed": {
    what: "The conversation is closed, so nothing can be added to it.",
    why: [
      "`CLOSED` is final. A conversation that may continue is `RESOLVED` instead: a customer's message reopens it.",
    ],
    howToFix: [
      'Send the message with `"onClosed": "new"`, which posts it to a new conversation with the same channel, customer and agent, or with `"onClosed": "reopen"`, which opens this one again.',
      "Or create a new conversation. Its `metadata` can name the old one.",
    ],
    canRetry: false,
    example: { error: conversationClosed(), instance: `${conversation}/messages` },
  },
  "agent-archived": {
    what: "The agent is archived, so its draft cannot be changed.",
    why: [
      "A member archived it in the dashboard. This is permanent: an archived agent can be read but no longer changed.",
    ],
    howToFix: ["Create another agent."],
    canRetry: false,
    example: { error: agentArchived(), instance: agent },
  },
  "rotation-in-progress": {
    what: "The webhook's secret was rotated recently, and the previous secret is still valid.",
    why: [
      "At most two secrets are valid at a time. A second rotation would end the first overlap early, while some of your servers may still use the older secret.",
    ],
    howToFix: [
      "Wait until `previousSecretExpiresAt`.",
      'If a secret has leaked, send `{"overlapSeconds": 0}`: it makes a new secret and ends every older one immediately.',
    ],
    canRetry: true,
    example: {
      error: rotationInProgress(new Date("2026-01-31T09:30:00.000Z")),
      instance: rotation,
    },
  },
  "limit-reached": {
    what: "A limit is reached. `limit` is its value, `current` the current amount.",
    why: [
      "An environment has at most 20 webhooks, and each webhook at most 100 tests and resends waiting to be sent, and one replay in progress.",
      "An API key has at most 10 open event streams, over all its clients, and all keys of an environment together at most 100.",
      "A customer is deleted with at most 1,000 conversations.",
      "The documents and files of an environment have at most as many bytes as its plan allows: 1 GB on Free, 10 GB on Pro, 100 GB on Scale.",
    ],
    howToFix: [
      "Delete webhooks or documents that you no longer need. One webhook can subscribe to any number of event types.",
      "Wait for tests and resends to be sent, or for the replay to be prepared.",
      "Close a stream before you open another. One stream can carry any number of event types.",
      "Delete some of the customer's conversations first, or erase the customer.",
      "For more storage, upgrade the plan.",
    ],
    canRetry: false,
    example: {
      error: tooManyWebhooks({ limit: 20, current: 20 }),
      instance: "/v1/public/webhooks",
    },
  },
  "in-use": {
    what: "The resource cannot be deleted while others refer to it. For a customer, `conversationCount` is the number of its conversations.",
    why: [
      "The customer has conversations.",
      "Conversations refer to the agent with their `agentId`.",
    ],
    howToFix: [
      "To delete a customer together with its conversations, send `?cascade=true`.",
      "Give the conversations another agent, or archive the agent in the dashboard.",
    ],
    canRetry: false,
    example: { error: customerInUse(3), instance: `/v1/public/customers/${id("cus")}` },
  },
  gone: {
    what: "The data was erased, and cannot be read or changed again.",
    why: [
      "The customer was erased, so its fields cannot be set again.",
      "The request repeats an `Idempotency-Key` whose stored response was erased or redacted. The first request took effect and was not repeated.",
    ],
    howToFix: [
      "Stop syncing this customer. If the person comes back, create another customer.",
      "Do not repeat the request.",
    ],
    canRetry: false,
    example: { error: erased("customer"), instance: `/v1/public/customers/${id("cus")}` },
  },
  "precondition-failed": {
    what: "The resource is not the version in `If-Match`, so nothing was changed.",
    why: [
      "Something changed the resource after you had read it. A new message changes a conversation, and a delivery changes a webhook.",
      "`PUT` with `If-Match` changes an existing resource only, and there is none.",
    ],
    howToFix: [
      "Read the resource again, decide whether your change still applies, and send it with the new `ETag` and a new `Idempotency-Key`.",
      "If only the fields you send matter, leave out `If-Match`: a `PATCH` leaves all other fields as they are. For tags, use `addTags` and `removeTags`.",
    ],
    canRetry: false,
    example: { error: preconditionFailed(), instance: conversation },
  },
  "payload-too-large": {
    what: "The body is larger than this operation accepts.",
    why: ["A JSON body has at most 256 KiB, an uploaded file at most 20 MiB."],
    howToFix: ["Send less per request: shorter texts, or a document in several parts."],
    canRetry: false,
    example: { error: bodyTooLarge(maximumBodyBytes), instance: conversations },
  },
  "unsupported-media-type": {
    what: "The body has a media type that this operation does not accept.",
    why: [
      "`Content-Type` is missing or is not `application/json` in UTF-8, or the body is compressed.",
      "An uploaded document is not txt, md, html, csv, json, pdf or docx. Its content decides, not its name. Files for messages can have any type.",
    ],
    howToFix: [
      "Send `Content-Type: application/json`, without a `Content-Encoding`.",
      "Convert the document to one of the types above.",
    ],
    canRetry: false,
    example: { error: jsonRequired(), instance: conversations },
  },
  "expectation-failed": {
    what: "The `Expect` header has a value other than `100-continue`.",
    why: ["`100-continue` is the only expectation that HTTP defines."],
    howToFix: ["Omit the header, or send `Expect: 100-continue`."],
    canRetry: false,
    example: { error: expectationFailed(), instance: conversations },
  },
  validation: {
    what: "The request could be read, but something in it is not valid.",
    why: [
      "A required field is missing, a value is too long or of the wrong type, or a field or query parameter is unknown.",
      "Unknown fields are rejected rather than ignored, so that a typo does not go unnoticed.",
    ],
    howToFix: [
      "`errors` lists everything that is wrong, at most 50 issues. `location` is the part of the request, `pointer` is a JSON Pointer into it (in a query, `/` and the parameter), `code` is for programs and `message` for people.",
      "For an unknown name, `message` suggests the one that was probably meant.",
      "The `code` `read_only` means that the field exists but only the service sets it.",
    ],
    canRetry: false,
    example: {
      error: invalidRequest(check(createConversationBody, {}, "body").issues),
      instance: conversations,
    },
  },
  "invalid-cursor": {
    what: "The `cursor` does not come from this list.",
    why: [
      "It is incomplete or was changed.",
      "It belongs to another list: another resource, conversation, knowledge base, webhook or environment.",
      "Its item was deleted more than 30 days ago.",
      "The `Last-Event-ID` of a stream is not an event of this environment, or is older than 60 days.",
    ],
    howToFix: ["Send `nextCursor` exactly as you received it, or start again without a cursor."],
    canRetry: false,
    example: { error: invalidCursor(), instance: conversations },
  },
  "idempotency-key-reused": {
    what: "This `Idempotency-Key` was used for another request within the last 24 hours.",
    why: [
      "The method, the path, the query, `If-Match` or any byte of the body differs from the first request with this key.",
    ],
    howToFix: [
      "Create a new key for each change.",
      "When you repeat a request, send the same bytes: store the encoded body instead of encoding it again.",
    ],
    canRetry: false,
    example: { error: idempotencyKeyReused(), instance: conversations },
  },
  "rate-limited": {
    what: "The API key, or its environment as a whole, has reached its rate limit.",
    why: [
      "Each key has a limit of requests per minute: 60 unless the plan or the key sets another. Requests are counted over the last 60 seconds.",
      "All keys of an environment together have ten times the plan's limit. `RateLimit` shows both: `default` for the key, `tenant` for the environment.",
      "Requests without a valid key, or from an address that the key does not allow, are counted by address.",
    ],
    howToFix: [
      "Wait for the seconds in `Retry-After`, then send the request again.",
      "Watch `RateLimit` on every response, and slow down before `r` reaches 0.",
      "Use webhooks instead of polling.",
    ],
    canRetry: true,
    example: {
      error: rateLimited({ limit: 60, resetMs: 42_000 }, limitedRequests.default),
      instance: conversations,
    },
  },
  internal: {
    what: "Something went wrong on our side.",
    why: [
      "This is a bug or an outage of the service. The cause is in its log, under the request id.",
    ],
    howToFix: [
      "Send the same request with the same `Idempotency-Key` again. This kind of response is never stored for replay.",
      "If it persists, contact the operator of the service with the `requestId`.",
    ],
    canRetry: true,
    example: { error: internalError(), instance: conversations },
  },
  unavailable: {
    what: "The service is temporarily unavailable.",
    why: [
      "Its database is restarting or cannot be reached, its disk is full, or the store of its files cannot be used.",
      "If the database failed while the request was being stored, the change may have been made. Repeating the request with the same `Idempotency-Key` then returns its response, and changes nothing.",
      "The change waited too long for a lock, or for other changes of the organization that wait for one.",
      "For an event stream: the process that got the request has 300 open streams, the most that it serves.",
    ],
    howToFix: [
      "Send the same request with the same `Idempotency-Key` again after the seconds in `Retry-After`. For an event stream, another process may get it.",
    ],
    canRetry: true,
    example: { error: unavailable(), instance: conversations },
  },
};

/** A problem of this kind as the API would send it. */
export function problemExample(kind: ErrorKind, errorBase: string): Record<string, JsonValue> {
  const { title, status } = errorKinds[kind];
  const { error, instance } = problemExplanations[kind].example;
  return {
    type: `${errorBase}/errors/${kind}`,
    title,
    status,
    detail: error.detail,
    instance,
    requestId: id("req"),
    ...toPublicMembers(error.members),
  };
}
