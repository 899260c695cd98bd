import { z } from "zod";
import { eventTypes } from "@/lib/events/catalogue";
import { commaList, idOf, idParameter, instant, instantOrMinute, listQuery, pageOf, timestamp } from "@/lib/schema";

export const deliveryStatuses = ["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"] as const;
/** How a delivery's last attempt ended, by the first digit of the answer's status. */
export const responseClasses = ["2xx", "3xx", "4xx", "5xx", "none"] as const;
export const attemptTriggers = ["AUTOMATIC", "MANUAL", "TEST"] as const;

export const delivery = z
  .object({
    id: idOf("delivery"),
    webhookId: idOf("webhook"),
    eventId: idOf("event"),
    eventType: z.enum(eventTypes),
    status: z.enum(deliveryStatuses).meta({
      description:
        "`PENDING` waits for its first attempt or the next one. `FAILED` has no attempt left. `HELD` waits for its webhook to be enabled and the delivery to be recovered, for 30 days. `DISCARDED` was held and given up.",
    }),
    attemptCount: z.number().int().meta({ description: "Attempts that have ended, whoever asked for them." }),
    nextAttemptAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Delivery" });

export const deliveryAttempt = z
  .object({
    number: z
      .number()
      .int()
      .meta({ description: "1 for the delivery's first attempt.", examples: [1] }),
    trigger: z
      .enum(attemptTriggers)
      .meta({ description: "`AUTOMATIC` by the schedule, `MANUAL` by a resend, `TEST` by a test. Only the first counts as a failure." }),
    startedAt: timestamp,
    durationMs: z.number().int(),
    statusCode: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Null where no answer came.", examples: [200] }),
    errorCode: z
      .string()
      .nullable()
      .meta({
        description:
          "Why no answer came: `timeout`, `blocked_address`, `dns_error`, `tls_error`, `connection_refused`, `connection_reset`, `connection_error`, `invalid_response` or `invalid_url`.",
        examples: ["timeout"],
      }),
    response: z
      .string()
      .nullable()
      .meta({ description: "The first 16 KiB of the answer's body.", examples: ["ok"] }),
  })
  .meta({ id: "DeliveryAttempt" });

export const deliveryWithAttempts = delivery
  .extend({ attempts: z.array(deliveryAttempt).meta({ description: "The newest 100, the oldest of them first." }) })
  .meta({ id: "DeliveryWithAttempts" });

export const recoverDeliveriesBody = z
  .strictObject({
    since: instant.meta({ description: "Deliveries made at this time or later.", examples: ["2026-01-31T09:30:00.000Z"] }),
    until: instant.optional().meta({ description: "And at this time or earlier; now, unless given." }),
    dryRun: z.boolean().default(false).meta({ description: "Only counts." }),
  })
  .refine(({ since, until }) => !until || until >= since, { path: ["until"], message: "lies before since" });

export const recovery = z
  .object({
    count: z
      .number()
      .int()
      .meta({ description: "Deliveries that are sent again, or would be.", examples: [42] }),
  })
  .meta({ id: "Recovery" });

export const deliveryPage = pageOf(delivery);
export const deliveryParams = z.object({ webhookId: idParameter("webhook"), deliveryId: idParameter("delivery") });
export const listDeliveriesQuery = listQuery("delivery", "desc", {
  status: commaList(deliveryStatuses)
    .optional()
    .meta({ description: "One status or several, separated by commas.", examples: [["FAILED"]] }),
  eventType: z.enum(eventTypes).optional(),
});

/** What the dashboard's list can be asked for besides. `since` and `until` are times of creation, both inclusive. */
export const searchDeliveriesQuery = listDeliveriesQuery.extend({
  response: z.enum(responseClasses).optional(),
  since: instantOrMinute.optional(),
  until: instantOrMinute.optional(),
});

export type Delivery = z.input<typeof delivery>;
export type DeliveryAttempt = z.input<typeof deliveryAttempt>;
export type DeliveryWithAttempts = z.input<typeof deliveryWithAttempts>;
export type ListDeliveries = z.output<typeof listDeliveriesQuery>;
export type SearchDeliveries = z.output<typeof searchDeliveriesQuery>;
export type ResponseClass = (typeof responseClasses)[number];
export type RecoverDeliveries = z.output<typeof recoverDeliveriesBody>;
