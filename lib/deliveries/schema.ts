import { z } from "zod";
import { eventTypes } from "@/lib/events/event-types";
import { eventName } from "@/lib/events/schema";
import { maximumHeaders } from "@/lib/platform/outbound-http/response-headers";
import {
  commaList,
  createdAt,
  distinct,
  instant,
  instantOrMinute,
  integer,
  storedText,
  timestamp,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { replyProblems } from "./reply-problems";

export const deliveryStatuses = ["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"] as const;
/** The first digit of the last response's status, or `none` if no response arrived. */
export const responseClasses = ["2xx", "3xx", "4xx", "5xx", "none"] as const;
export const attemptTriggers = ["AUTOMATIC", "MANUAL", "TEST"] as const;

const replyProblem = z.enum(replyProblems).meta({
  id: "ReplyProblem",
  description:
    "`invalid_json`: the body is not valid JSON in UTF-8. `invalid_reply`: `reply` is not an object with a `text` of 1 to 10,000 characters and nothing else. `too_long`: the text has more than 10,000 characters, or the body more than 64 KiB. `conversation_closed` and `conversation_deleted`: the conversation takes no message. `message_redacted`: the message that it replies to was redacted, or its customer was erased. `already_replied`: an earlier attempt posted the reply to this event.",
});

const attemptReply = z
  .object({
    messageId: idOf("message")
      .nullable()
      .meta({ description: "The message that the reply to this event became." }),
    problem: replyProblem.nullable().meta({ description: "Why this reply was not posted." }),
  })
  .meta({ id: "AttemptReply", description: "What became of a reply in a response." });

const status = z.enum(deliveryStatuses).meta({
  id: "DeliveryStatus",
  description:
    "`PENDING` waits for its first attempt or the next one. `FAILED` has no attempt left. `HELD` waits up to 30 days for its webhook to be enabled and for its own recovery, or its last attempt failed and its conversation waits for it. `DISCARDED` was held and then discarded.",
});
const trigger = z.enum(attemptTriggers).meta({
  id: "AttemptTrigger",
  description:
    "`AUTOMATIC` by the schedule, `MANUAL` by a resend, `TEST` by a test. Only automatic attempts count as failures.",
});

export const delivery = z
  .object({
    id: idOf("delivery"),
    webhookId: idOf("webhook"),
    eventId: idOf("event"),
    eventType: eventName,
    status,
    attemptCount: integer("Attempts that have ended, including requested ones."),
    nextAttemptAt: timestamp.nullable().meta({
      description:
        "When the next attempt is due. Null if there is none, and while a `PENDING` delivery waits for an earlier one of its conversation.",
    }),
    createdAt,
    updatedAt,
  })
  .meta({ id: "Delivery", description: "An event on its way to a webhook." });

export const deliveryAttempt = z
  .object({
    number: integer("1 for the delivery's first attempt.", { minimum: 1 }).meta({ examples: [1] }),
    trigger,
    startedAt: timestamp.meta({ description: "When the attempt started." }),
    durationMs: integer("How long it took, in milliseconds."),
    statusCode: integer("The HTTP status of the response, or null if none arrived.", {
      minimum: 100,
      maximum: 999,
    })
      .nullable()
      .meta({ examples: [200] }),
    errorCode: storedText(
      40,
      "Why no response arrived: `timeout`, `blocked_address`, `dns_error`, `tls_error`, `connection_refused`, `connection_reset`, `connection_error`, `invalid_response` or `invalid_url`.",
    )
      .nullable()
      .meta({ examples: ["timeout"] }),
    response: storedText(16_384, "The first 16 KiB of the response body.")
      .nullable()
      .meta({ examples: ["ok"] }),
    responseHeaders: z
      .record(storedText(256, "The name of a header, in lowercase."), storedText(600, "Its value."))
      .nullable()
      .meta({
        maxProperties: maximumHeaders,
        description:
          "The first 20 headers of a response that failed the attempt, at most 2 KB. Cookies, tokens and other credentials are `[redacted]`, and a value of more than 500 characters is cut off. Null after a success, or without a response.",
        examples: [{ "content-type": "application/json", "retry-after": "120" }],
      }),
    reply: attemptReply.nullable().meta({
      description: "Null if the response had no reply, or the webhook does not accept replies.",
      examples: [null],
    }),
  })
  .meta({ id: "DeliveryAttempt", description: "One attempt to send an event." });

export const deliveryWithAttempts = delivery
  .extend({
    attempts: z
      .array(deliveryAttempt)
      .meta({ maxItems: 100, description: "The newest 100, the oldest of them first." }),
  })
  .meta({ id: "DeliveryWithAttempts", description: "A delivery with its attempts." });

export const recoverDeliveriesBody = z
  .strictObject({
    since: instant.meta({
      description: "Deliveries of events of this time or later.",
      examples: ["2026-01-31T09:30:00.000Z"],
    }),
    until: instant.optional().meta({ description: "And of this time or earlier. Default: now." }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: "Counts what would be sent, and sends nothing." }),
  })
  .refine(({ since, until }) => !until || until >= since, {
    path: ["until"],
    message: "must not be before since",
  });

export const recovery = z
  .object({
    count: integer("Deliveries that are sent again, or would be.").meta({ examples: [42] }),
  })
  .meta({ id: "Recovery", description: "How many deliveries are recovered." });

/** The statuses by which a replay selects events. `NONE` stands for an event without a delivery. */
export const replayStatuses = ["DELIVERED", "FAILED", "HELD", "DISCARDED", "NONE"] as const;

const replayStatus = z.enum(replayStatuses).meta({
  id: "ReplayStatus",
  description:
    "The status of an event's delivery to the webhook. `NONE`: there is none, because the webhook was created later, or did not subscribe to the type.",
});

export const replayWebhookBody = z
  .strictObject({
    since: instant.meta({
      description: "Events of this time or later.",
      examples: ["2026-01-31T09:30:00.000Z"],
    }),
    until: instant.optional().meta({ description: "And of this time or earlier. Default: now." }),
    eventTypes: distinct(z.array(eventName).min(1).max(eventTypes.length))
      .optional()
      .meta({
        description: "Only these types, of those that the webhook subscribes to.",
        examples: [["message.received"]],
      }),
    statuses: distinct(z.array(replayStatus).min(1).max(replayStatuses.length))
      .optional()
      .meta({
        description:
          "Only events whose delivery has one of these statuses. Default: any. A `PENDING` delivery is on its way and is never replayed.",
        examples: [["DELIVERED", "NONE"]],
      }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: "Counts what would be sent, and sends nothing." }),
  })
  .refine(({ since, until }) => !until || until >= since, {
    path: ["until"],
    message: "must not be before since",
  });

export const replay = z
  .object({
    count: integer("Events that are sent, or would be.").meta({ examples: [42] }),
    isMore: z.boolean().meta({
      description:
        "More events than `count` may be sent: of a webhook with a filter, only the first 20,000 of the period are counted.",
      examples: [false],
    }),
  })
  .meta({ id: "Replay", description: "How many events are replayed." });

export const testWebhookBody = z.strictObject({
  type: eventName.default("webhook.test").meta({
    description:
      "The type of the event to send. Of any other than `webhook.test`, the example of the catalog is sent.",
    examples: ["message.received"],
  }),
});

export const deliveryPage = pageOf(delivery);
export const deliveryParams = z.object({
  webhookId: idParameter("webhook"),
  deliveryId: idParameter("delivery"),
});
export const listDeliveriesQuery = listQuery("delivery", "desc", {
  status: commaList(deliveryStatuses)
    .optional()
    .meta({ description: "One status or several, separated by commas.", examples: [["FAILED"]] }),
  eventType: eventName.optional(),
});

/**
 * The further filters of the dashboard's list. `since` and `until` are times of events, both
 * inclusive. A replay creates deliveries of earlier events.
 */
export const searchDeliveriesQuery = listDeliveriesQuery.extend({
  response: z.enum(responseClasses).optional(),
  since: instantOrMinute.optional(),
  until: instantOrMinute.optional(),
});

export type Delivery = z.input<typeof delivery>;
export type AttemptReply = z.input<typeof attemptReply>;
export type DeliveryAttempt = z.input<typeof deliveryAttempt>;
export type DeliveryWithAttempts = z.input<typeof deliveryWithAttempts>;
export type ListDeliveries = z.output<typeof listDeliveriesQuery>;
export type SearchDeliveries = z.output<typeof searchDeliveriesQuery>;
export type ResponseClass = (typeof responseClasses)[number];
export type RecoverDeliveries = z.output<typeof recoverDeliveriesBody>;
export type ReplayWebhook = z.output<typeof replayWebhookBody>;
