import { z } from "zod";
import { type ErrorKind, type ErrorMembers, errorKinds } from "@/lib/errors";
import type { JsonValue } from "@/lib/openapi";
import { idOf } from "@/lib/schema";

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
  example: { detail: string; instance: string; members?: ErrorMembers };
};

const id = (prefix: string) => `${prefix}_01KA5V0V7W3Y5Z8J4QX2N6M9TC`;
const conversations = "/v1/public/conversations";
const conversation = `${conversations}/${id("cnv")}`;
const agent = `/v1/public/agents/${id("agt")}`;
const rotation = `/v1/public/webhooks/${id("whk")}/rotate-secret`;

/** Every kind of problem explained. Its page, `/docs/errors/<kind>`, and the document's examples are made from this. */
export const problemExplanations: Record<ErrorKind, Explanation> = {
  "malformed-request": {
    what: "The body could not be read at all, so nothing in it was looked at.",
    why: [
      "The body is empty, is no valid JSON, or is no valid UTF-8.",
      "An object was cut off, or a form was sent where JSON was announced.",
    ],
    mend: [
      "Send a JSON object, made by your language's own JSON encoder rather than by joining strings.",
      "`detail` repeats what the parser said, with the position where it stopped.",
    ],
    canRetry: false,
    example: { detail: "The body is not valid JSON: Unexpected end of JSON input", instance: conversations },
  },
  "invalid-idempotency-key": {
    what: "The `Idempotency-Key` header holds something that cannot be a key.",
    why: ["It is empty, longer than 255 characters, or has characters beyond printable ASCII."],
    mend: ["Send a fresh UUID for each change that you want to make once, and the same one when you repeat that request."],
    canRetry: false,
    example: {
      detail: "An Idempotency-Key has 1 to 255 printable ASCII characters; a UUID is a good one.",
      instance: conversations,
    },
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
    example: { detail: "Send a valid API key as `Authorization: Bearer <key>`.", instance: conversations },
  },
  "insufficient-scope": {
    what: "The API key is valid, and may not do this.",
    why: ["Every operation needs one scope. The key was made without the one that this operation needs; `requiredScope` names it."],
    mend: [
      "Add the scope to the key in the dashboard, or make a key that has it.",
      "`write:` scopes do not include the `read:` ones: a key that changes and reads needs both.",
    ],
    canRetry: false,
    example: {
      detail: "This operation needs the scope write:conversations, which the API key does not have.",
      instance: conversations,
      members: { requiredScope: "write:conversations" },
    },
  },
  "ip-not-allowed": {
    what: "The API key is valid, and may not be used from this address.",
    why: ["The key is limited to certain networks, and the request came from outside of them."],
    mend: [
      "Send the request from one of the key's networks, or change them in the dashboard.",
      "Behind a proxy, the address that counts is the one the proxy's own operator has configured to be trusted.",
    ],
    canRetry: false,
    example: { detail: "This API key may not be used from this address.", instance: conversations },
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
    example: { detail: `There is no conversation with the id "${id("cnv")}".`, instance: conversation },
  },
  "method-not-allowed": {
    what: "The path exists, and does not take this method.",
    why: ["For example `PUT`, which this API does not use: changes are made by `PATCH`."],
    mend: ["Use one of the methods that the `Allow` header of the answer lists."],
    canRetry: false,
    example: { detail: "This path takes GET, HEAD, POST.", instance: conversations },
  },
  "request-timeout": {
    what: "The request did not arrive in time.",
    why: ["Headers must arrive within 15 seconds, a body within 30 seconds, and an uploaded file within 2 minutes."],
    mend: ["Send the request again, with the same `Idempotency-Key`: nothing of it was done."],
    canRetry: true,
    example: { detail: "The request took too long to arrive.", instance: conversations },
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
      detail: 'There is a customer with the externalId "user_8412" already.',
      instance: "/v1/public/customers",
      members: { existingId: id("cus") },
    },
  },
  "idempotency-in-progress": {
    what: "The first request with this `Idempotency-Key` is still being worked on.",
    why: ["The same request was sent again before the first one had ended, and waiting 5 seconds for it was not enough."],
    mend: ["Send the same request with the same key again after the seconds in `Retry-After`. It gets the first one's answer."],
    canRetry: true,
    example: {
      detail: "The first request with this Idempotency-Key has not ended yet. Send the same request again in a moment.",
      instance: conversations,
      members: { retryAfter: 1 },
    },
  },
  "invalid-transition": {
    what: "A conversation cannot go from its present status to the one that was asked for.",
    why: [
      "`CLOSED` is final, and from `RESOLVED` the ways lead to `OPEN` and `CLOSED` alone.",
      "The status may have changed since you read it: `from` tells what it is.",
    ],
    mend: ["Choose one of `allowed`, or create a new conversation."],
    canRetry: false,
    example: {
      detail: "A conversation cannot go from RESOLVED to PENDING.",
      instance: conversation,
      members: { from: "RESOLVED", to: "PENDING", allowed: ["OPEN", "CLOSED"] },
    },
  },
  "conversation-closed": {
    what: "The conversation is closed, so nothing can be added to it.",
    why: ["`CLOSED` is final. A conversation that may be taken up again is `RESOLVED` instead; a customer's message opens it."],
    mend: ["Create a new conversation. Its `metadata` can name the old one."],
    canRetry: false,
    example: { detail: "The conversation is closed; nothing can be added to it.", instance: `${conversation}/messages` },
  },
  "agent-archived": {
    what: "The agent is archived, so its draft cannot be changed.",
    why: ["Someone archived it in the dashboard."],
    mend: ["Take it out of the archive in the dashboard, or create another agent."],
    canRetry: false,
    example: { detail: "The agent is archived; take it out of the archive to change it.", instance: agent },
  },
  "rotation-in-progress": {
    what: "The webhook's secret was rotated less than 24 hours ago, and the secret before it is still valid.",
    why: ["A second rotation would put an end to the first secret, while some of your servers may still rely on it."],
    mend: [
      "Wait until `previousSecretExpiresAt`.",
      'If a secret has leaked, send `{"overlapSeconds": 0}`: that makes a new secret and ends every older one at once.',
    ],
    canRetry: true,
    example: { detail: "The secret before this one is still valid. Wait for its end, or send overlapSeconds 0.", instance: rotation },
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
      detail: "An environment has at most 20 webhooks. Delete one to make room.",
      instance: "/v1/public/webhooks",
      members: { limit: 20, current: 20 },
    },
  },
  "payload-too-large": {
    what: "The body is larger than this operation takes.",
    why: ["A JSON body has at most 256 KiB, an uploaded file at most 20 MiB."],
    mend: ["Send less at once: shorter texts, or a document in several parts."],
    canRetry: false,
    example: { detail: "A body has at most 256 KiB.", instance: conversations },
  },
  "unsupported-media-type": {
    what: "The body is of a type that this operation does not take.",
    why: [
      "`Content-Type` is missing or is not `application/json` in UTF-8, or the body is compressed.",
      "An uploaded file is none of txt, md, html, csv, json, pdf and docx. What counts is its content, not its name.",
    ],
    mend: ["Send `Content-Type: application/json`, without a `Content-Encoding`.", "Convert the document to one of the types above."],
    canRetry: false,
    example: { detail: "Send the body as `Content-Type: application/json`, in UTF-8.", instance: conversations },
  },
  "expectation-failed": {
    what: "The `Expect` header holds something other than `100-continue`.",
    why: ["`100-continue` is the only expectation that HTTP defines."],
    mend: ["Leave the header out, or send `Expect: 100-continue`."],
    canRetry: false,
    example: { detail: "The only expectation supported is `100-continue`.", instance: conversations },
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
      detail: "channelId is required.",
      instance: conversations,
      members: { errors: [{ pointer: "/channelId", location: "body", code: "required", message: "channelId is required" }] },
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
    example: {
      detail: "The cursor is not one that this list gave out as `nextCursor`.",
      instance: conversations,
      members: {
        errors: [{ pointer: "/cursor", location: "query", code: "invalid_cursor", message: "cursor is no cursor of this list" }],
      },
    },
  },
  "idempotency-key-reused": {
    what: "This `Idempotency-Key` was used for another request within the last 24 hours.",
    why: ["The method, the path, the query or any byte of the body differs from the first request with this key."],
    mend: [
      "Make a new key for each change.",
      "When you repeat a request, repeat its bytes: keep the encoded body rather than encoding it again.",
    ],
    canRetry: false,
    example: {
      detail: "This Idempotency-Key was used for another request. Use a new key for each request.",
      instance: conversations,
    },
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
      detail: "The limit of 60 requests a minute for this API key is reached. Try again in 42 s.",
      instance: conversations,
      members: { retryAfter: 42 },
    },
  },
  internal: {
    what: "Something went wrong on our side.",
    why: ["This is a fault of the service. The cause is in its log, under the request id, and is not shown."],
    mend: [
      "Send the same request with the same `Idempotency-Key` again: answers of this kind are never stored for replay.",
      "If it stays, tell whoever runs the service the `requestId`.",
    ],
    canRetry: true,
    example: { detail: "Something went wrong on our side. The request id helps us to find out what.", instance: conversations },
  },
  unavailable: {
    what: "The service cannot answer at the moment.",
    why: ["Its database is being restarted or cannot be reached. Nothing of the request was done."],
    mend: ["Send the same request with the same `Idempotency-Key` again after the seconds in `Retry-After`."],
    canRetry: true,
    example: {
      detail: "The service cannot answer at the moment. Try again shortly.",
      instance: conversations,
      members: { retryAfter: 1 },
    },
  },
};

/** What an answer to a problem looks like, whatever its kind. */
export const problem = z
  .object({
    type: z.url().meta({ description: "The kind of the problem: the address of a page that explains it." }),
    title: z.string().meta({ description: "Short, and always the same for this kind." }),
    status: z.number().int().meta({ description: "The HTTP status." }),
    detail: z.string().meta({ description: "What went wrong this time, for people to read." }),
    instance: z.string().meta({ description: "The path of the request." }),
    requestId: idOf("request"),
    errors: z
      .array(
        z.object({
          pointer: z.string().meta({ description: "A JSON Pointer into `location`; empty for the whole of it." }),
          location: z.enum(["body", "query", "path", "header"]),
          code: z.string().meta({ description: "For programs.", examples: ["required"] }),
          message: z.string().meta({ description: "For people." }),
        }),
      )
      .max(50)
      .optional()
      .meta({ description: "All that is wrong with the request. With `validation` and `invalid-cursor`." }),
    requiredScope: z.string().optional().meta({ description: "With `insufficient-scope`." }),
    existingId: z.string().optional().meta({ description: "With `conflict`." }),
    limit: z.number().int().optional().meta({ description: "With `limit-reached`: how much there may be." }),
    current: z.number().int().optional().meta({ description: "With `limit-reached`: how much there is." }),
    retryAfter: z.number().int().optional().meta({ description: "Seconds to wait, as in `Retry-After`." }),
    from: z.string().optional().meta({ description: "With `invalid-transition`." }),
    to: z.string().optional().meta({ description: "With `invalid-transition`." }),
    allowed: z.array(z.string()).optional().meta({ description: "With `invalid-transition`: where it could go instead." }),
  })
  .meta({ id: "Problem", description: "What went wrong, as RFC 9457 (formerly 7807) has it." });

/** A problem of this kind as the API would send it. */
export function problemExample(kind: ErrorKind, errorBase: string): Record<string, JsonValue> {
  const { title, status } = errorKinds[kind];
  const { detail, instance, members } = problemExplanations[kind].example;
  return { type: `${errorBase}/errors/${kind}`, title, status, detail, instance, requestId: id("req"), ...members };
}
