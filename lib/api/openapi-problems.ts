import { z } from "zod";
import { createConversationBody, transitions } from "@/lib/conversations/schema";
import {
  type AppError,
  addressNotAllowed,
  agentArchived,
  alreadyExists,
  bodyTooLarge,
  conversationClosed,
  type ErrorKind,
  errorKinds,
  expectationFailed,
  idempotencyInProgress,
  idempotencyKeyReused,
  insufficientScope,
  internalError,
  invalidCursor,
  invalidIdempotencyKey,
  invalidJson,
  invalidRequest,
  invalidTransition,
  jsonRequired,
  methodNotAllowed,
  requestTimeout,
  rotationInProgress,
  tooManyWebhooks,
  unauthorized,
  unavailable,
} from "@/lib/platform/errors";
import type { JsonValue } from "@/lib/platform/openapi";
import { integer, storedText } from "@/lib/platform/schema";
import { idOf } from "@/lib/resources/id-schema";
import { notFound } from "@/lib/resources/not-found";
import { toPublicMembers } from "./problem";
import { limitedRequests, rateLimited } from "./rate-limit";
import { maximumBodyBytes } from "./read-request";
import { check } from "./validate";

/** What a person who meets a problem wants to know, and one as it is sent. */
type Explanation = {
  /** What happened, as a sentence. */
  what: string;
  /** Where it comes from, in Markdown. */
  why: string[];
  /** What to do about it, in Markdown. */
  mend: string[];
  /** Whether the same request, sent again later, can succeed. */
  canRetry: boolean;
  /**
   * Made by the same function as the error itself, so that the documented text cannot differ from
   * the one that is sent.
   */
  example: { error: AppError; instance: string };
};

const id = (prefix: string) => `${prefix}_01KA5V0V7W3Y5Z8J4QX2N6M9TC`;
const conversations = "/v1/public/conversations";
const conversation = `${conversations}/${id("cnv")}`;
const agent = `/v1/public/agents/${id("agt")}`;
const rotation = `/v1/public/webhooks/${id("whk")}/rotate-secret`;

/**
 * Every kind of problem explained. Its page, `/docs/errors/<kind>`, and the document's examples are
 * made from this.
 */
export const problemExplanations: Record<ErrorKind, Explanation> = {
  "malformed-request": {
    what: "The body could not be read at all, so nothing in it was looked at.",
    why: [
      "The body is empty, incomplete, not valid JSON or not valid UTF-8.",
      "A form is incomplete, or a field or the file name in it is not valid UTF-8.",
    ],
    mend: [
      "Send a JSON object, made by your language's own JSON encoder rather than by joining strings.",
      "`detail` says what could not be read, for JSON with the character at which the parser stopped.",
    ],
    canRetry: false,
    example: { error: invalidJson(24), instance: conversations },
  },
  "invalid-idempotency-key": {
    what: "The `Idempotency-Key` header holds something that cannot be a key.",
    why: [
      "It is empty, longer than 255 characters, or has characters other than printable ASCII.",
      "The header is there more than once.",
    ],
    mend: [
      "Send a fresh UUID for each change that you want to make once, and the same one when you repeat that request.",
    ],
    canRetry: false,
    example: { error: invalidIdempotencyKey(), instance: conversations },
  },
  unauthorized: {
    what: "The request carries no API key that is valid now.",
    why: [
      "The `Authorization` header is missing, or does not read `Bearer <key>`.",
      "The key was mistyped, has expired, was rolled or was revoked. All of these get the same answer, so that it tells a stranger nothing.",
    ],
    mend: [
      "Send `Authorization: Bearer <key>` with the whole key, from its prefix to its last character.",
      "Look in the dashboard, under **API keys**, whether the key is still active; if not, make a new one.",
    ],
    canRetry: false,
    example: { error: unauthorized(), instance: conversations },
  },
  "insufficient-scope": {
    what: "The API key is valid, and may not do this.",
    why: [
      "Every operation needs one scope. The key was made without the one that this operation needs; `requiredScope` names it.",
    ],
    mend: [
      "Add the scope to the key in the dashboard, or make a key that has it.",
      "`write:` scopes do not include the `read:` ones: a key that changes and reads needs both.",
    ],
    canRetry: false,
    example: { error: insufficientScope("write:conversations"), instance: conversations },
  },
  "ip-not-allowed": {
    what: "The API key is valid, and may not be used from this address.",
    why: ["The key is limited to certain networks, and the request came from outside of them."],
    mend: [
      "Send the request from one of the key's networks, or change them in the dashboard.",
      "Behind a proxy, the address that counts is the one the proxy's own operator has configured to be trusted.",
    ],
    canRetry: false,
    example: { error: addressNotAllowed(), instance: conversations },
  },
  "not-found": {
    what: "There is nothing with this id, or nothing at this path, that the API key could see.",
    why: [
      "The id does not exist, or what it named was deleted.",
      "It belongs to the other environment: a test key does not see live data, and a live key does not see test data.",
      "The path is mistyped, or ends in a slash.",
    ],
    mend: [
      "Compare the prefix of the id with what the path asks for: `cnv_` for a conversation, `cus_` for a customer, and so on.",
      "Check that the key belongs to the environment in which the id was made.",
    ],
    canRetry: false,
    example: { error: notFound("conversation", id("cnv")), instance: conversation },
  },
  "method-not-allowed": {
    what: "The path exists, and does not take this method.",
    why: ["For example `PUT`, which this API does not use: changes are made by `PATCH`."],
    mend: ["Use one of the methods that the `Allow` header of the answer lists."],
    canRetry: false,
    example: { error: methodNotAllowed(["GET", "HEAD", "POST"]), instance: conversations },
  },
  "request-timeout": {
    what: "The request did not arrive in time.",
    why: [
      "Headers must arrive within 15 seconds, a body within 30 seconds, and an uploaded file within 2 minutes.",
    ],
    mend: ["Send the request again, with the same `Idempotency-Key`: nothing of it was done."],
    canRetry: true,
    example: { error: requestTimeout(), instance: conversations },
  },
  conflict: {
    what: "Something with the same unique value already exists.",
    why: [
      "A customer with this `externalId`, a knowledge base with this name, or a document with the same bytes is already there.",
      "Two processes created the same thing at the same time; one of them was first.",
    ],
    mend: [
      "Use the one that exists: `existingId` is its id.",
      "Send an `Idempotency-Key`, and a repeated request gets the first one's answer instead.",
    ],
    canRetry: false,
    example: {
      error: alreadyExists('A customer with the externalId "user_8412"', id("cus")),
      instance: "/v1/public/customers",
    },
  },
  "idempotency-in-progress": {
    what: "The first request with this `Idempotency-Key` is still being worked on.",
    why: [
      "The same request was sent again before the first one had ended, and waiting 5 seconds for it was not enough.",
    ],
    mend: [
      "Send the same request with the same key again after the seconds in `Retry-After`. It gets the first one's answer.",
    ],
    canRetry: true,
    example: { error: idempotencyInProgress(), instance: conversations },
  },
  "invalid-transition": {
    what: "The resource cannot change from its present status to the requested one.",
    why: [
      "Conversation: `CLOSED` is final, and `RESOLVED` changes to `OPEN` or `CLOSED` only. The status may have changed since you read it: `from` is what it is now.",
      "Delivery: an attempt is already in progress or about to start, so the delivery cannot be resent yet.",
      "Webhook: it is disabled, so its deliveries are held and cannot be recovered; or it is suspended, so it cannot be enabled until it is confirmed.",
    ],
    mend: [
      "Conversation: choose one of `allowed`, or create a new conversation.",
      "Delivery: wait until the attempt has ended.",
      'Webhook: enable it with `{"status": "ENABLED"}`, then recover its deliveries. An owner or admin confirms a suspended one in the dashboard.',
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
      "`CLOSED` is final. A conversation that may be taken up again is `RESOLVED` instead; a customer's message opens it.",
    ],
    mend: ["Create a new conversation. Its `metadata` can name the old one."],
    canRetry: false,
    example: { error: conversationClosed(), instance: `${conversation}/messages` },
  },
  "agent-archived": {
    what: "The agent is archived, so its draft cannot be changed.",
    why: [
      "A member archived it in the dashboard. This is permanent: an archived agent can be read, and can no longer be changed.",
    ],
    mend: ["Create another agent."],
    canRetry: false,
    example: { error: agentArchived(), instance: agent },
  },
  "rotation-in-progress": {
    what: "The webhook's secret was rotated recently, and the secret before it is still valid.",
    why: [
      "Two secrets can be valid at a time. A second rotation would end the first one early, while some of your servers may still rely on it.",
    ],
    mend: [
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
    what: "A limit on what the environment may hold is reached. `limit` is the limit, `current` how much there is.",
    why: [
      "An environment has at most 20 webhooks, and each webhook at most 100 requested tests and resends that wait to be sent.",
      "The documents of an environment have at most as many bytes as its plan allows: 1 GB on Free, 10 GB on Pro, 100 GB on Scale.",
    ],
    mend: [
      "Delete webhooks or documents that you no longer need. One webhook can take any number of event types.",
      "Wait for tests and resends to be sent.",
      "For more storage, upgrade the plan.",
    ],
    canRetry: false,
    example: {
      error: tooManyWebhooks({ limit: 20, current: 20 }),
      instance: "/v1/public/webhooks",
    },
  },
  "payload-too-large": {
    what: "The body is larger than this operation takes.",
    why: ["A JSON body has at most 256 KiB, an uploaded file at most 20 MiB."],
    mend: ["Send less at once: shorter texts, or a document in several parts."],
    canRetry: false,
    example: { error: bodyTooLarge(maximumBodyBytes), instance: conversations },
  },
  "unsupported-media-type": {
    what: "The body is of a type that this operation does not take.",
    why: [
      "`Content-Type` is missing or is not `application/json` in UTF-8, or the body is compressed.",
      "An uploaded file is none of txt, md, html, csv, json, pdf and docx. What counts is its content, not its name.",
    ],
    mend: [
      "Send `Content-Type: application/json`, without a `Content-Encoding`.",
      "Convert the document to one of the types above.",
    ],
    canRetry: false,
    example: { error: jsonRequired(), instance: conversations },
  },
  "expectation-failed": {
    what: "The `Expect` header holds something other than `100-continue`.",
    why: ["`100-continue` is the only expectation that HTTP defines."],
    mend: ["Leave the header out, or send `Expect: 100-continue`."],
    canRetry: false,
    example: { error: expectationFailed(), instance: conversations },
  },
  validation: {
    what: "The request could be read, and something in it is not as it has to be.",
    why: [
      "A required field is missing, a value is too long or of the wrong type, or a field or query parameter is not known.",
      "Unknown fields are refused rather than dropped, so that a typing error does not go unnoticed.",
    ],
    mend: [
      "`errors` lists everything that is wrong, at most 50 findings: `location` says where, `pointer` is a JSON Pointer to it (in a query, `/` and the parameter), `code` is for programs and `message` for people.",
      "For a name that is not known, `message` says which one was probably meant.",
      "A `code` of `read_only` means that the field exists and that only the service writes it.",
    ],
    canRetry: false,
    example: {
      error: invalidRequest(check(createConversationBody, {}, "body").issues),
      instance: conversations,
    },
  },
  "invalid-cursor": {
    what: "The `cursor` is not one that this list gave out.",
    why: [
      "It is incomplete or was changed.",
      "It belongs to another list: another resource, conversation, knowledge base, webhook or environment.",
      "Its item was deleted more than 30 days ago.",
    ],
    mend: ["Send `nextCursor` exactly as you received it, or start again without a cursor."],
    canRetry: false,
    example: { error: invalidCursor(), instance: conversations },
  },
  "idempotency-key-reused": {
    what: "This `Idempotency-Key` was used for another request within the last 24 hours.",
    why: [
      "The method, the path, the query or any byte of the body differs from the first request with this key.",
    ],
    mend: [
      "Make a new key for each change.",
      "When you repeat a request, repeat its bytes: keep the encoded body rather than encoding it again.",
    ],
    canRetry: false,
    example: { error: idempotencyKeyReused(), instance: conversations },
  },
  "rate-limited": {
    what: "The API key, or its environment as a whole, has used up its requests for the moment.",
    why: [
      "Each key has a number of requests a minute, 60 unless the plan or the key says otherwise. They are counted over the last 60 seconds.",
      "All keys of an environment together have ten times the plan's limit. `RateLimit` shows both: `default` is the key's, `tenant` the environment's.",
      "Requests without a valid key, or from an address that the key does not allow, are counted by address.",
    ],
    mend: [
      "Wait for the whole seconds in `Retry-After`, then send the request again.",
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
      "This is a fault of the service. The cause is in its log, under the request id, and is not shown.",
    ],
    mend: [
      "Send the same request with the same `Idempotency-Key` again: answers of this kind are never stored for replay.",
      "If it stays, tell whoever runs the service the `requestId`.",
    ],
    canRetry: true,
    example: { error: internalError(), instance: conversations },
  },
  unavailable: {
    what: "The service cannot answer at the moment.",
    why: ["Its database is being restarted or cannot be reached. Nothing of the request was done."],
    mend: [
      "Send the same request with the same `Idempotency-Key` again after the seconds in `Retry-After`.",
    ],
    canRetry: true,
    example: { error: unavailable(), instance: conversations },
  },
};

/** Text that quotes what the client sent, in which any character can occur. */
const quoting = (maximum: number, description: string) =>
  storedText(maximum, description).meta({ pattern: "^[\\s\\S]*$" });

/** The body of every problem response. */
export const problem = z
  .object({
    type: z.url().meta({
      description: "The kind of the problem: the address of a page that explains it.",
      maxLength: 2_048,
    }),
    title: storedText(100, "A short summary, always the same for this kind."),
    status: integer("The HTTP status.", { minimum: 400, maximum: 599 }),
    detail: quoting(10_000, "What went wrong this time, for people."),
    instance: quoting(65_536, "The path of the request."),
    requestId: idOf("request"),
    errors: z
      .array(
        z.object({
          pointer: quoting(2_000, "A JSON Pointer into `location`; empty for the whole of it."),
          location: z.enum(["body", "query", "path", "header"]).meta({
            id: "ProblemLocation",
            description: "The part of the request that the pointer points into.",
          }),
          code: storedText(100, "What is wrong, for programs.").meta({ examples: ["required"] }),
          message: quoting(2_000, "What is wrong, for people."),
        }),
      )
      .max(50)
      .optional()
      .meta({
        description:
          "Everything that is wrong with the request. With `validation` and `invalid-cursor`.",
      }),
    requiredScope: storedText(
      50,
      "With `insufficient-scope`: the scope that the API key lacks.",
    ).optional(),
    existingId: storedText(31, "With `conflict`: the id of the existing object.").optional(),
    limit: integer("With `limit-reached`: the maximum.").optional(),
    current: integer("With `limit-reached`: the current amount.").optional(),
    retryAfter: integer("Seconds to wait, as in `Retry-After`.").optional(),
    from: storedText(20, "With `invalid-transition`: the current status.").optional(),
    to: storedText(20, "With `invalid-transition`: the requested status.").optional(),
    allowed: z.array(storedText(20, "A status.")).optional().meta({
      description: "With `invalid-transition`: the statuses that are possible.",
      maxItems: 10,
    }),
  })
  .meta({ id: "Problem", description: "A problem as described by RFC 9457 (formerly RFC 7807)." });

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
